use rstest::rstest;

use crate::touched;

const FILE: &str = r#"
import { api } from "./api";

export const LIMITS = { daily: 10 };
export const settings = { retries: 3 };
const local = 5;

export interface Session {
  token: string;
}

export type Id = string | number;

enum State { Open, Closed }

/** Keeps a session. */
@Injectable()
export class Keeper extends Base {
  static count = 0;
  private token?: string;

  constructor(private readonly store: Store) {
    super();
  }

  async refresh(force = false): Promise<void> {
    this.token = await api.fetch(force);
  }

  onClick = () => {
    this.refresh();
  };
}

export const useKeeper = (id: Id) => {
  const inner = () => 1;
  return inner();
};

export default function main() {
  return <Keeper />;
}

const Row = memo(({ id }) => <li>{id}</li>);

const handlers = {
  open() { return 1; },
  close: async () => 2,
};
"#;

#[rstest]
#[case::nothing("5;", "5 ;", &[])]
#[case::local("local = 5", "local = 6", &[])]
#[case::constant("daily: 10", "daily: 20", &["Changed Constant LIMITS"])]
#[case::exported("retries: 3", "retries: 4", &["Changed Constant settings"])]
#[case::interface("token: string;\n}", "token: string;\n  id: Id;\n}", &["Changed Type Session"])]
#[case::alias("string | number", "string", &["Changed Type Id"])]
#[case::enumeration("Open, Closed", "Open, Closed, Lost", &["Changed Type State"])]
#[case::class_head("extends Base", "extends Other", &["SignatureChanged Type Keeper"])]
#[case::decorator("@Injectable()", "@Injectable({ scope: 1 })", &["Changed Type Keeper"])]
#[case::field("count = 0", "count = 1", &["Changed Type Keeper"])]
#[case::constructor("super();", "super(1);", &["Changed Method Keeper.constructor"])]
#[case::method("api.fetch(force)", "api.fetch(force, 1)", &["Changed Method Keeper.refresh"])]
#[case::signature("force = false", "force = true", &["SignatureChanged Method Keeper.refresh"])]
#[case::arrow_field("this.refresh();", "this.refresh(true);", &["Changed Method Keeper.onClick"])]
#[case::arrow("() => 1", "() => 2", &["Changed Function useKeeper"])]
#[case::arrow_head("(id: Id) =>", "(id: Id, now: Date) =>", &["SignatureChanged Function useKeeper"])]
#[case::default("<Keeper />", "<Keeper open />", &["Changed Function main"])]
#[case::wrapped("<li>{id}</li>", "<li>#{id}</li>", &["Changed Function Row"])]
#[case::object("return 1; }", "return 3; }", &["Changed Method handlers.open"])]
#[case::object_arrow("async () => 2", "async () => 3", &["Changed Method handlers.close"])]
#[case::renamed("useKeeper", "useSession", &["Renamed Function useKeeper → useSession"])]
fn files(#[case] from: &str, #[case] to: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("web/keeper.tsx", FILE, &FILE.replacen(from, to, 1)), expected);
}

const TESTS: &str = r#"
describe("keeper", () => {
  beforeEach(() => reset());

  it("refreshes", async () => {
    expect(await keeper.refresh()).toBe(1);
  });

  test.each([1, 2])("takes %d", (n) => {
    expect(n).toBe(n);
  });
});
"#;

#[rstest]
#[case::body("toBe(1)", "toBe(2)", &["Changed Test refreshes"])]
#[case::each("toBe(n)", "toEqual(n)", &["Changed Test takes %d"])]
#[case::group("reset()", "reset(1)", &["Changed Test keeper"])]
#[case::renamed("\"refreshes\"", "\"refreshes once\"", &["Renamed Test refreshes → refreshes once"])]
#[case::added("  it(", "  it(\"ends\", () => {});\n\n  it(", &["Added Test ends"])]
fn tests(#[case] from: &str, #[case] to: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("web/keeper.test.ts", TESTS, &TESTS.replacen(from, to, 1)), expected);
}

#[rstest]
#[case::inside("    const x = 1;\n    return x;", "    const x = 2;\n    return x;", &[])]
#[case::method_without_class(
    "  async refresh(force) {\n    return 1;\n  }\n",
    "  async refresh(force) {\n    return 2;\n  }\n",
    &["Changed Method refresh"]
)]
#[case::end_then_method(
    "    return 1;\n  }\n\n  refresh() {\n    a();\n  }\n}\n",
    "    return 1;\n  }\n\n  refresh() {\n    b();\n  }\n\n  close() {\n    c();\n  }\n}\n",
    &["Changed Method refresh", "Added Method close"]
)]
#[case::method_without_end(
    "  refresh(force: boolean): void {\n    if (force) {\n      a();",
    "  refresh(force: boolean): void {\n    if (force) {\n      b();",
    &["Changed Method refresh"]
)]
#[case::class_without_end(
    "export class Keeper {\n  refresh() {\n    a();",
    "export class Keeper {\n  refresh() {\n    b();",
    &["Changed Method Keeper.refresh"]
)]
#[case::keywords("    if (a) {\n      b();\n    }\n  }", "    if (a) {\n      c();\n    }\n  }", &[])]
#[case::end_of_test(
    "    expect(a).toBe(1);\n  });\n\n  it(\"does b\", () => {\n    b();",
    "    expect(a).toBe(1);\n  });\n\n  it(\"does b\", () => {\n    c();",
    &["Changed Test does b"]
)]
#[case::chain("  .then((x) => x.a)\n  .catch(() => {", "  .then((x) => x.b)\n  .catch(() => {", &[])]
#[case::comment(
    " * the user's name */\nfunction name() {\n  return 1;\n}",
    " * the user's name */\nfunction name() {\n  return 2;\n}",
    &["Changed Function name"]
)]
#[case::common_js(
    "module.exports.load = function (a) {\n  return a;\n};\nexports.save = () => 1;\nmodule.exports = { list() {} };",
    "module.exports.load = function (a) {\n  return b;\n};\nexports.save = () => 2;\nmodule.exports = { list() { c(); } };",
    &["Changed Function load", "Changed Function save", "Changed Method list"]
)]
#[case::prototype("", "Keeper.prototype.close = function () {};", &["Added Function Keeper.close"])]
#[case::iife("", "(function () {\n  function inner() {}\n})();", &["Added Function inner"])]
#[case::callbacks("const ids = rows.map((row) => row.id);", "const ids = rows.map((row) => row.key);", &[])]
#[case::vue(
    "export default {\n  methods: {\n    open() { a(); },\n  },\n};",
    "export default {\n  methods: {\n    open() { b(); },\n  },\n};",
    &["Changed Method methods.open"]
)]
fn fragments(#[case] before: &str, #[case] after: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("web/keeper.js", before, after), expected);
}

#[rstest]
#[case::cast(
    "function a() {\n  const x = <Session>load();\n  return x;\n}\n\nfunction b() { return 1; }",
    "function a() {\n  const x = <Session>load();\n  return x;\n}\n\nfunction b() { return 2; }",
    &["Changed Function b"]
)]
#[case::generic_arrow(
    "export const pick = <T>(a: T[]): T => a[0];\nexport const last = async <T, U>(a: T): Promise<U> => a;",
    "export const pick = <T>(a: T[]): T => a[1];\nexport const last = async <T, U>(a: T): Promise<U> => a;",
    &["Changed Function pick"]
)]
#[case::generic_head("const pick = <T>(a: T) => a;", "const pick = <T, U>(a: T) => a;", &["SignatureChanged Function pick"])]
#[case::namespace("", "export namespace Log {\n  export function write() {}\n}", &["Added Module Log", "Added Function Log.write"])]
#[case::overloads(
    "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) { g(a); }",
    "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) { h(a); }",
    &["Changed Function f"]
)]
#[case::comparison(
    "function less() {\n  return a < b && c > d;\n}\nfunction x() { 1 }",
    "function less() {\n  return a < b && c > d;\n}\nfunction x() { 2 }",
    &["Changed Function x"]
)]
fn typescript(#[case] before: &str, #[case] after: &str, #[case] expected: &[&str]) {
    assert_eq!(touched("web/keeper.ts", before, after), expected);
}
