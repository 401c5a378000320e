use rstest::rstest;

use crate::touched;

const FILE: &str = r#"package server

import "fmt"

const Limit = 10

const (
	first  = iota
	second
)

var ErrClosed = errors.New("closed")

// Server serves.
type Server[T any] struct {
	addr string
}

type Store interface {
	Get(key string) string
}

type (
	ID   string
	Name = string
)

// Start starts.
func (s *Server[T]) Start(ctx context.Context) error {
	run := func() {}
	run()
	return nil
}

func (Server[T]) Stop() {}

func main() {
	fmt.Println("hi")
}

func TestStart(t *testing.T) {
	t.Run("a", func(t *testing.T) {})
}
"#;

#[rstest]
#[case::nothing("Limit = 10", "Limit  =  10", &[])]
#[case::constant("Limit = 10", "Limit = 20", &["Changed Constant Limit"])]
#[case::grouped("\tsecond\n", "\tsecond\n\tthird\n", &["Added Constant third"])]
#[case::variable("\"closed\"", "\"gone\"", &["Changed Constant ErrClosed"])]
#[case::structure("addr string", "addr string\n\tport int", &["Changed Type Server"])]
#[case::interface("Get(key string) string", "Get(key string) []byte", &["Changed Type Store"])]
#[case::grouped_type("ID   string", "ID   int", &["Changed Type ID"])]
#[case::method("run()\n", "run(1)\n", &["Changed Method Server.Start"])]
#[case::signature("ctx context.Context", "", &["SignatureChanged Method Server.Start"])]
#[case::value_receiver("Stop() {}", "Stop() { halt() }", &["Changed Method Server.Stop"])]
#[case::function("\"hi\"", "\"ho\"", &["Changed Function main"])]
#[case::in_a_test("\"a\"", "\"b\"", &["Changed Test TestStart"])]
#[case::comment("// Start starts.", "// Start starts it.", &["Changed Method Server.Start"])]
#[case::renamed("Stop()", "Halt()", &["Renamed Method Server.Stop → Server.Halt"])]
fn files(#[case] from: &str, #[case] to: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("server.go", FILE, &FILE.replacen(from, to, 1)), expected);
}

#[rstest]
#[case::inside("\tx := 1\n\treturn x", "\tx := 2\n\treturn x", &[])]
#[case::local("var x int\n\treturn x", "var x string\n\treturn x", &[])]
#[case::head_without_end(
    "func (s *Server) Start() error {\n\tif s.a {\n\t\treturn nil",
    "func (s *Server) Start() error {\n\tif s.b {\n\t\treturn nil",
    &["Changed Method Server.Start"]
)]
#[case::end_then_head(
    "\t}\n\treturn nil\n}\n\nfunc next() {\n\ta()\n}\n",
    "\t}\n\treturn nil\n}\n\nfunc next(b int) {\n\ta()\n}\n",
    &["SignatureChanged Function next"]
)]
fn fragments(#[case] before: &str, #[case] after: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("server.go", before, after), expected);
}
