mod files;
mod signatures;
mod wording;
