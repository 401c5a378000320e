fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let p = std::env::args().nth(2).unwrap();
    let piece = std::env::args().nth(3).unwrap();
    let text = piece.repeat(n / piece.len());
    let t = std::time::Instant::now();
    let n = custos_syntax::compare(&p, "", &text).len();
    eprintln!("{n} {:?}", t.elapsed());
}
