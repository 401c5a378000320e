fn main() {
    for path in ["a.rs", "a.ts", "a.tsx", "a.js", "a.py", "a.go", "a.java", "a.c", "a.cpp", "a.cs", "a.rb", "a.php", "a.kt", "a.swift", "a.scala", "a.sh", "a.sql"] {
        for piece in ["{", "(", "fn a() {", "class A {\n", "\"", "`\\", "r#\"", "/*", "a", "\n", "def a():\n ", "<T>("] {
            let text = piece.repeat(200_000 / piece.len());
            let t = std::time::Instant::now();
            let n = custos_syntax::compare(path, "", &text).len();
            let a = t.elapsed();
            eprint!("{path} {piece:?} {n} {a:?}");
            let t = std::time::Instant::now();
            let n = custos_syntax::compare(path, "", &text.repeat(5)).len();
            eprintln!(" | {n} {:?}", t.elapsed());
        }
    }
}
