//! Ruby.

use insta::assert_snapshot;

use super::Project;

#[test]
fn ruby_on_rails() {
    let project = Project::new(&[
        (
            "Gemfile",
            "source \"https://rubygems.org\"\nruby \"3.3.0\"\ngem \"rails\", \"~> 7.1\"\ngem 'sidekiq'\ngroup :test do\n  gem \"rspec-rails\", require: false\nend\n",
        ),
        ("Gemfile.lock", ""),
        (
            "Rakefile",
            "task default: :test\nRake::TestTask.new(:test)\ntask \"lint\" do\nend\ndesc 'x'\ntask :deploy => :test\n",
        ),
        ("bin/rails", "#!/usr/bin/env ruby\n"),
        ("config.ru", "run App\n"),
        (".rubocop.yml", "AllCops: {}\n"),
        (".ruby-version", "ruby-3.3.0\n"),
        ("app/models/booking.rb", "class Booking < ApplicationRecord\n  def self.upcoming; end\nend\n"),
        ("app/models/guest.rb", "module Guests\n  class Guest\n  end\nend\n"),
        ("app/jobs/booking_mailer.rb", "class BookingGuestMailer\nend\n"),
        ("db/migrate/20240101_create_bookings.rb", "class CreateBookings\nend\n"),
        ("spec/models/booking_spec.rb", "RSpec.describe Booking\n"),
        ("test/models/booking_test.rb", "class BookingTest\nend\n"),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - Ruby: 100 % of the source files (6 files) (`Gemfile`)

    ## Versions

    - Ruby `3.3.0` (`.ruby-version`)

    ## Package managers and build systems

    - Bundler (`Gemfile.lock`)

    ## Frameworks and libraries

    - Rails `~> 7.1` (`Gemfile:3`)
    - Sidekiq (`Gemfile:4`)

    ## Test libraries

    - RSpec (`Gemfile:6`)

    ## Commands

    ### Test

    - `bundle exec rake test` (`Rakefile:2`)
    - `bin/rails test` (`bin/rails`, configured)
    - `bundle exec rspec` (`Gemfile:6`, configured)

    ### Lint

    - `bundle exec rake lint` (`Rakefile:3`)
    - `bundle exec rubocop` (`.rubocop.yml`, configured)

    ### Run

    - `bin/rails server` (`bin/rails`, configured)

    # Structure

    ## Folders

    - `app/`: the application
    - `app/jobs/`: 1 file, Ruby
    - `app/models/`: models
    - `bin/`: programs and scripts
    - `db/`: database: schema, migrations, seeds
    - `db/migrate/`: 1 file, Ruby
    - `spec/`: specs
    - `spec/models/`: tests of models
    - `test/`: tests
    - `test/models/`: tests of models

    ## Entry points

    - `config.ru`: Rack application

    # Patterns

    ## Linting

    - RuboCop (`.rubocop.yml`)

    ## Tests

    - specs in `spec` (1 file) (`spec/models/booking_spec.rb`)
    - tests in `test`, `*_test.rb` (1 file) (`test/models/booking_test.rb`)

    ## Migrations

    - db/migrate (Rails migrations) (`db/migrate/`)

    # Glossary

    ## Words of the code

    - booking: `Booking` (`app/models/booking.rb:1`), in 3 files
    - guest: `Guest` (`app/models/guest.rb:2`), in 2 files

    # Proposals

    - Changes of the schema are migrations in `db/migrate` (db/migrate/): Add a migration to `db/migrate` for each change; never edit one that has been applied. The migrations are in the repo.
    - Linting is done with `bundle exec rake lint` (Rakefile:3): Linting is done with `bundle exec rake lint`. Run this before a change is called done. The project names this command itself.
    - Ruby dependencies are managed with Bundler (Gemfile.lock): Use Bundler for Ruby dependencies, and no other manager of its kind. It is the only package manager of its kind with a file in the repo.
    - Tests run with `bundle exec rake test` (Rakefile:2): Tests run with `bundle exec rake test`. Run this before a change is called done. The project names this command itself.
    - Version of Ruby: `3.3.0` (.ruby-version): Version of Ruby: `3.3.0`. Use nothing that needs another. The manifest demands it.
    ");
}
