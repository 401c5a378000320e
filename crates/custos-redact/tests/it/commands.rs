//! Passwords on command lines, and in the files that hold passwords for commands.

use custos_redact::redact;
use rstest::rstest;

#[rstest]
#[case("mysql -pSECRET", "mysql -p[redacted:command-password]")]
#[case("mysql -uroot -phunter db", "mysql -uroot -p[redacted:command-password] db")]
#[case("mysql -u root -p'my pass' db", "mysql -u root -p'[redacted:command-password]' db")]
#[case(
    "/usr/bin/mysqldump -phunter db > x.sql",
    "/usr/bin/mysqldump -p[redacted:command-password] db > x.sql"
)]
#[case("mysqladmin -phunter ping; ls", "mysqladmin -p[redacted:command-password] ping; ls")]
#[case("docker exec db mariadb -phunter", "docker exec db mariadb -p[redacted:command-password]")]
#[case("{\"command\":\"mysql -phunter\"}", "{\"command\":\"mysql -p[redacted:command-password]\"}")]
#[case("mysql -u root \\\n  -phunter", "mysql -u root \\\n  -p[redacted:command-password]")]
#[case("sshpass -p hunter ssh -p 2222 u@h", "sshpass -p [redacted:command-password] ssh -p 2222 u@h")]
#[case("sshpass -phunter ssh u@h", "sshpass -p[redacted:command-password] ssh u@h")]
#[case("sshpass -v -p 'my pass' ssh u@h", "sshpass -v -p '[redacted:command-password]' ssh u@h")]
#[case("redis-cli -h h -a hunter ping", "redis-cli -h h -a [redacted:command-password] ping")]
#[case("docker login -u me -p hunter reg.io", "docker login -u me -p [redacted:command-password] reg.io")]
#[case("podman login -phunter", "podman login -p[redacted:command-password]")]
#[case("htpasswd -b file user hunter", "htpasswd -b file user [redacted:command-password]")]
#[case("htpasswd -cb file user 'hunter'", "htpasswd -cb file user '[redacted:command-password]'")]
#[case("htpasswd -nb user hunter", "htpasswd -nb user [redacted:command-password]")]
#[case(
    "htpasswd -bnBC 10 \"\" hunter | tr x y",
    "htpasswd -bnBC 10 \"\" [redacted:command-password] | tr x y"
)]
#[case(
    "openssl enc -aes-256-cbc -k hunter -in x",
    "openssl enc -aes-256-cbc -k [redacted:command-password] -in x"
)]
#[case(
    "openssl rsa -passin pass:hunter -passout pass:horse",
    "openssl rsa -passin pass:[redacted:password] -passout pass:[redacted:password]"
)]
#[case("openssl rsa -passin 'pass:hunter'", "openssl rsa -passin 'pass:[redacted:password]'")]
#[case("wget --http-password=hunter u", "wget --http-password=[redacted:password] u")]
#[case("psql \"host=h password=hunter dbname=x\"", "psql \"host=h password=[redacted:password] dbname=x\"")]
#[case("PGPASSWORD=hunter psql -h x", "PGPASSWORD=[redacted:password] psql -h x")]
#[case("curl -uuser:hunter https://h", "curl -uuser:[redacted:curl-password] https://h")]
#[case("curl --proxy-user u:hunter h", "curl --proxy-user u:[redacted:curl-password] h")]
#[case("localhost:5433:db:user:hunter\n", "localhost:5433:db:user:[redacted:pgpass-password]\n")]
#[case("db.example.com:6543:*:app:hunter", "db.example.com:6543:*:app:[redacted:pgpass-password]")]
#[case("*:*:*:postgres:hunter", "*:*:*:postgres:[redacted:pgpass-password]")]
#[case("machine h login u password p", "machine h login u password [redacted:netrc-password]")]
#[case("x%3A%2F%2Fu%3Ap%40h%2Fdb", "x%3A%2F%2Fu%3A[redacted:url-password]%40h%2Fdb")]
#[case("x%3a%2f%2fu%3ap%2540q%40h", "x%3a%2f%2fu%3a[redacted:url-password]%40h")]
#[case("x%253A%252F%252Fu%253Ap%2540h", "x%253A%252F%252Fu%253A[redacted:url-password]%2540h")]
#[case("x%3A%2F%2Fu:p@h", "x%3A%2F%2Fu:[redacted:url-password]@h")]
#[case("htpasswd -bn -n -n -n a b c d", "htpasswd -bn -n -n -n a b c d")]
#[case("htpasswd -n -n a b c d", "htpasswd -n -n a b c d")]
fn taken_out(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(redact(text), expected);
    assert_eq!(redact(expected), expected);
}
