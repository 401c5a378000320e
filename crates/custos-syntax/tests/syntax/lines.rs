use rstest::rstest;

use crate::touched;

#[rstest]
#[case::c(
    "a.c",
    "#define LIMIT 10\n\nstruct point {\n    int x;\n};\n\nstatic int add(int a, int b)\n{\n    if (a) {\n        return b;\n    }\n    return a + b;\n}\n\nint main(int argc,\n         char **argv) {\n    return add(1, 2);\n}\n\nint declared(int a);\n",
    &["Constant LIMIT", "Type point", "Function add", "Function main"]
)]
#[case::cpp(
    "a.cpp",
    "namespace app {\n\nclass Session : public Base {\npublic:\n    Session(int a) {\n    }\n    void close() override {\n        go();\n    }\n};\n\nvoid Session::open(const std::string& name) {\n    if (x) {\n    }\n}\n\n}\n",
    &["Module app", "Type Session", "Method Session::Session", "Method Session::close", "Method Session::open"]
)]
#[case::c_sharp(
    "a.cs",
    "namespace App.Core;\n\npublic class Session : IDisposable\n{\n    public async Task<int> LoadAsync(string path)\n    {\n        if (path == null) { }\n        return await Run(path);\n    }\n\n    [Fact]\n    public void Closes()\n    {\n    }\n}\n",
    &["Module App.Core", "Type Session", "Method Session.LoadAsync", "Test Session.Closes"]
)]
#[case::ruby(
    "a.rb",
    "module App\n  class Session < Base\n    def open?(now)\n      true\n    end\n\n    def self.load(path)\n      new\n    end\n  end\nend\n\ndescribe \"Session\" do\n  it \"opens\" do\n    go\n  end\nend\n",
    &["Module App", "Type App::Session", "Method App::Session#open?", "Method App::Session::load", "Test Session", "Test opens"]
)]
#[case::php(
    "a.php",
    "<?php\nfinal class Session implements Store\n{\n    const LIMIT = 10;\n\n    public function load(string $path): int\n    {\n        return 1;\n    }\n\n    public function testLoad(): void\n    {\n    }\n}\n\nfunction help() {\n}\n",
    &["Type Session", "Constant Session::LIMIT", "Method Session::load", "Test Session::testLoad", "Function help"]
)]
#[case::kotlin(
    "a.kt",
    "data class Point(val x: Int, val y: Int)\n\nclass Session {\n    suspend fun <T> load(path: String): T {\n        fun inner() {}\n        return go()\n    }\n\n    @Test\n    fun `closes at once`() {\n    }\n}\n\nfun String.shout() = uppercase()\n",
    &["Type Point", "Type Session", "Method Session.load", "Test Session.closes at once", "Function String.shout"]
)]
#[case::swift(
    "a.swift",
    "protocol Store {\n    func get(key: String) -> String\n}\n\nfinal class Session: Store {\n    func get(key: String) -> String {\n        return key\n    }\n\n    func testGet() {\n    }\n}\n",
    &["Trait Store", "Method Store.get", "Type Session", "Method Session.get", "Test Session.testGet"]
)]
#[case::scala(
    "a.scala",
    "sealed trait Store\n\ncase class Point(x: Int)\n\nobject Main {\n  def load(path: String): Int = {\n    1\n  }\n}\n",
    &["Trait Store", "Type Point", "Type Main", "Method Main.load"]
)]
#[case::shell(
    "a.sh",
    "# function of time\nload() {\n  echo \"$1\"\n}\n\nfunction save {\n  if true; then\n    load x\n  fi\n}\n\nload a\n",
    &["Function load", "Function save"]
)]
#[case::sql(
    "a.sql",
    "-- create table nothing\nCREATE TABLE IF NOT EXISTS \"users\" (\n  id int\n);\n\nALTER TABLE users ADD name text;\n\ncreate or replace function app.touch() returns trigger as $$\nbegin\n  return new;\nend;\n$$ language plpgsql;\n\nCREATE INDEX i ON users (id);\n",
    &["Type users", "Function app.touch"]
)]
#[case::prose("a.cpp", "/*\nclass of problems\nvoid space(here) {\n*/\n// struct a {\nfoo(bar);\nreturn call(x) {\n", &[])]
fn every_definition(#[case] path: &str, #[case] text: &str, #[case] expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|line| format!("Added {line}")).collect();
    assert_eq!(touched(path, "", text), expected);
}

#[rstest]
#[case::c_body("a.c", "int add(int a)\n{\n    return a;\n}\n", "return a;", "return a + 1;", &["Changed Function add"])]
#[case::c_head("a.c", "int add(int a)\n{\n    return a;\n}\n", "int a)", "long a)", &["SignatureChanged Function add"])]
#[case::ruby("a.rb", "class A\n  def b\n    1\n  end\nend\n", "1", "2", &["Changed Method A#b"])]
#[case::shell("a.sh", "load() {\n  a\n}\n", "load", "read_all", &["Renamed Function load → read_all"])]
#[case::sql("a.sql", "CREATE TABLE t (\n  a int\n);\n", "a int", "a int,\n  b int", &["Changed Type t"])]
#[case::fragment("a.kt", "        go()\n    }\n\n    fun close() {\n        a()\n", "a()", "b()", &["Changed Function close"])]
fn edits(
    #[case] path: &str,
    #[case] text: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: &[&str],
) {
    assert_eq!(touched(path, text, &text.replacen(from, to, 1)), expected);
}
