//! Where programs begin, in the forms that are usual.

use rstest::rstest;

use super::{Project, Topic};

#[test]
fn packages_of_a_jvm_are_no_samples() {
    let project = Project::new(&[
        ("pom.xml", "<project></project>\n"),
        (
            "src/main/java/com/example/demo/DemoApplication.java",
            "package com.example.demo;\n\n@SpringBootApplication\npublic class DemoApplication {}\n",
        ),
        ("src/test/java/com/example/demo/DemoTests.java", "class DemoTests {}\n"),
    ]);
    assert_eq!(
        project.entries(),
        [
            "src/main/java/com/example/demo/DemoApplication.java: Spring Boot application (src/main/java/com/example/demo/DemoApplication.java:3)"
        ]
    );
    assert_eq!(
        project.on(Topic::Testing),
        ["tests in `src/test` 1 file (src/test/java/com/example/demo/DemoTests.java)"]
    );
}

#[rstest]
#[case::rack(&[("config.ru", "run App\n")], &["config.ru: Rack application (config.ru)"])]
#[case::fastapi(&[("app/main.py", "app = FastAPI(title=\"x\")\n")], &["app/main.py: FastAPI application (app/main.py:1)"])]
#[case::django(
    &[
        ("shop/asgi.py", "application = get_asgi_application()\n"),
        ("shop/wsgi.py", "application = get_wsgi_application()\n"),
    ],
    &["shop/asgi.py: ASGI application (shop/asgi.py:1)", "shop/wsgi.py: WSGI application (shop/wsgi.py:1)"]
)]
#[case::next(
    &[
        ("package.json", "{\"dependencies\": {\"next\": \"14\"}}"),
        ("app/layout.tsx", ""),
        ("app/page.tsx", ""),
        ("app/shop/page.tsx", ""),
    ],
    &["app/layout.tsx: root layout of Next.js (app/layout.tsx)", "app/page.tsx: first page of Next.js (app/page.tsx)"]
)]
#[case::setup_py(
    &[("setup.py", "setup(\n    entry_points={\n        'console_scripts': [\n            'shop = shop.cli:main',\n            'till=shop.till:run'],\n        'gui_scripts': ['no = no:no'],\n    },\n)\n")],
    &["shop.cli:main: program shop (setup.py:4)", "shop.till:run: program till (setup.py:5)"]
)]
#[case::setup_cfg(
    &[("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    shop = shop.cli:main\n")],
    &["shop.cli:main: program shop (setup.cfg:3)"]
)]
#[case::gem(
    &[
        ("shop.gemspec", "Gem::Specification.new do |s|\n  s.bindir = 'exe'\n  s.executables = %w[shop gone]\nend\n"),
        ("exe/shop", ""),
    ],
    &["exe/shop: program shop (shop.gemspec:3)"]
)]
#[case::gem_in_bin(
    &[("shop.gemspec", "s.executables << 'shop'\n"), ("bin/shop", "")],
    &["bin/shop: program shop (shop.gemspec:1)"]
)]
#[case::node(
    &[
        ("package.json", "{\"scripts\": {\"start\": \"node --enable-source-maps ./server.js --port 1\", \"build\": \"node make.js\"}}"),
        ("server.js", ""),
        ("make.js", ""),
    ],
    &["server.js: program (package.json:1)"]
)]
#[case::module_of_python(
    &[("src/toolbox/__main__.py", "if __name__ == \"__main__\":\n    main()\n")],
    &["src/toolbox/__main__.py: program toolbox (src/toolbox/__main__.py)"]
)]
#[case::react(
    &[("src/index.jsx", ""), ("web/src/index.tsx", "")],
    &["src/index.jsx: first module (src/index.jsx)", "web/src/index.tsx: first module (web/src/index.tsx)"]
)]
#[case::no_next(&[("package.json", "{}"), ("app/page.tsx", "")], &[])]
#[case::c_on_two_lines(&[("x.c", "int\nmain(int argc, char **argv)\n{\n}\n")], &["x.c: program (x.c:2)"])]
#[case::c_with_a_blank(&[("x.c", "int main (void)\n{\n}\n")], &["x.c: program (x.c:1)"])]
#[case::cmake_on_two_lines(&[("CMakeLists.txt", "add_executable(\n  app\n  main.c)\n")], &["CMakeLists.txt: program app (CMakeLists.txt:1)"])]
#[case::meson(
    &[(
        "meson.build",
        "executable(\n  'app',\n  'main.c')\ntest('unit', executable('unit', 'unit.c'))\ntest('a',\n  executable('a_run', 'a.c'))\nprobe = executable('probe', 'p.c')\ntest('probe', probe)\n# executable('no')\n",
    )],
    &["meson.build: program app (meson.build:1)"]
)]
fn where_programs_begin(#[case] files: &[(&str, &str)], #[case] entries: &[&str]) {
    assert_eq!(Project::new(files).entries(), entries);
}

#[test]
fn programs_of_swift_are_folders_that_are_there() {
    let package = r#"
let package = Package(
    name: "tools",
    products: [.executable(name: "tool", targets: ["Tool"])],
    targets: [
        .executableTarget(
            name: "Tool",
            dependencies: [.product(name: "X", package: "x")]
        ),
        .executableTarget(name: "Other", dependencies: [.target(name: "Core")], path: "Apps/Other"),
        .executableTarget(name: "Gone"),
        .target(name: "Core"),
    ]
)
"#;
    let project = Project::new(&[
        ("Package.swift", package),
        ("Sources/Tool/tool.swift", ""),
        ("Sources/Core/core.swift", ""),
        ("Apps/Other/other.swift", ""),
    ]);
    assert_eq!(
        project.entries(),
        ["Apps/Other: program Other (Package.swift:9)", "Sources/Tool: program tool (Package.swift:5)",]
    );
}
