use super::{Language, check};

#[test]
fn what_is_only_mentioned_is_not_done() {
    check(
        Language::Python,
        &[
            ("print(\"os.system('rm -rf /')\")", ""),
            ("s = 'shutil.rmtree(\"/\")'\nprint(s)", ""),
            ("# os.system('rm -rf /')", ""),
            ("x = 1 # it's os.system('x')\ny = 2", ""),
            ("'''\nos.system('rm -rf /')\n'''", ""),
            ("print(f\"os.system('rm') {1 + 1}\")", ""),
            ("print('rm -rf /')", ""),
            ("assert 'os.system(' in text", ""),
            ("logger.system('x')", ""),
            ("os.system", ""),
            ("obj.remove('x'); items.remove('y')", ""),
            ("s = 'a.b'.replace('.', '/')\nprint(s)", ""),
            ("print(sum(x / 2 for x in range(10)))", ""),
            ("import re; re.compile('system')", ""),
            ("d = {'system': 1}; print(d['system'])", ""),
            ("print('a' * 3, 10 % 3, 7 // 2)", ""),
            ("class A:\n    def remove(self, x):\n        pass", ""),
            ("import sys, json; print(json.load(sys.stdin)['version'])", ""),
            ("print(eval('1 + 1'))", ""),
            ("from datetime import datetime; print(datetime.now())", ""),
        ],
    );
    check(
        Language::JavaScript,
        &[
            ("console.log(\"require('child_process').execSync('rm -rf /')\")", ""),
            ("// execSync('x')\n/* fs.rmSync('/') */", ""),
            ("console.log(/fs.rmSync('x')/.test(s))", ""),
            ("s.replace(/\"/g, '').replace(/'/g, \"\"); console.log(`fs.rmSync('/')`)", ""),
            ("/a(b)/.exec('rm -rf /')", ""),
            ("const m = re.exec(line)", ""),
            ("$('#id').remove(); $('a')", ""),
            ("list.remove('/'); map.delete('/')", ""),
            ("console.log(require('./package.json').version)", ""),
            ("const a = b / c; const d = 'x' / 2", ""),
            ("process.exit(1)", ""),
            ("setTimeout(() => console.log('rm -rf /'), 10)", ""),
        ],
    );
    check(
        Language::Perl,
        &[
            ("print \"system('rm -rf /')\"", ""),
            ("# system('x')", ""),
            ("print if /system/", ""),
            ("s/rm -rf/x/g", ""),
            ("my %h = (s => 1, y => 2); print $h{s}", ""),
            ("print q{system('x')}", ""),
            ("=pod\nsystem('x')\n=cut\nprint 1", ""),
            ("$x =~ tr/a-z/A-Z/; print $x", ""),
        ],
    );
    check(
        Language::Ruby,
        &[
            ("puts \"system('rm -rf /')\"", ""),
            ("# system('x')", ""),
            ("=begin\nsystem('x')\n=end\nputs 1", ""),
            ("puts :system", ""),
            ("x = a ? b : c", ""),
            ("puts 'FileUtils.rm_rf(\"/\")'", ""),
            ("puts [1, 2].map { |x| x / 2 }.join(', ')", ""),
        ],
    );
    check(
        Language::Php,
        &[
            ("echo \"system('rm -rf /')\";", ""),
            ("// system('x');\n# exec('y');\n/* unlink('z') */", ""),
            ("<p>system('x')</p><?php echo 1;", ""),
            ("$o->exec('x'); $o->system('y');", ""),
        ],
    );
}
