//! What may be deleted, and what not.

use rstest::rstest;

use super::{call, expect, rules_of};

#[rstest]
#[case::root(
    "rm -fr / => files.delete-root
     rm -r -f / => files.delete-root
     rm --recursive --force / => files.delete-root
     rm --rec / => files.delete-root
     rm / => files.delete-root
     rm -rf /* => files.delete-root
     rm -rf /. => files.delete-root
     rm -rf // => files.delete-root
     rm -rf /tmp/../ => files.delete-root
     rm -rf /proc/self/root => files.delete-root
     rm -rf ../../.. => files.delete-root
     rm / -rf => files.delete-root
     rm -rf -- / => files.delete-root
     rm -rf ./target /tmp/x / => files.delete-root
     rm -rf --no-preserve-root $X => files.delete-root
     /bin/rm -rf / => files.delete-root
     rimraf / => files.delete-root
     trash-put / => files.delete-root
     mv /* /tmp/trash => files.delete-root
     find / -delete => files.delete-root
     find / -type f -exec rm -f {} + => files.delete-root"
)]
#[case::system(
    "rm -rf /etc => files.delete-system
     rm -rf '/etc' => files.delete-system
     rm -rf /usr => files.delete-system
     rm -rf /u?r => files.delete-system
     rm -rf /@(etc|usr) => files.delete-system
     rm -Rf /boot => files.delete-system
     rm -rf /lib/x86_64-linux-gnu => files.delete-system
     rm -rf /var => files.delete-system
     rm -rf /var/lib => files.delete-system
     rm -rf /var/lib/docker => files.delete-system
     rm -rf /opt => files.delete-system
     rm /etc/fstab => files.delete-system
     rm -f /usr/bin/python3 => files.delete-system
     rm -f /boot/vmlinuz-* => files.delete-system
     unlink /etc/hosts => files.delete-system
     rm -rf /lib/modules/$X => files.delete-system
     rm -rf /mnt/c => files.delete-system
     rm -rf /media/usb/* => files.delete-system
     rm -rf /Volumes/Data => files.delete-system
     mv /etc /etc.old => files.delete-system
     mv /usr/bin /tmp/ => files.delete-system
     find /etc -name '*.conf' -delete => files.delete-system
     find /usr -type d -name python3 -exec rm -rf {} ; => files.delete-system"
)]
#[case::home(
    "rm -rf ~ => files.delete-home
     rm -rf ~/ => files.delete-home
     rm -rf ~/* => files.delete-home
     rm -rf ~/.[!.]* => files.delete-home
     rm -rf /home => files.delete-home
     rm -rf /home/user => files.delete-home
     rm -rf /home/* => files.delete-home
     rm -rf /home/us* => files.delete-home
     rm -rf /home/bob => files.delete-home
     rm -rf ~bob => files.delete-home
     rm -rf /home/$X => files.delete-home
     rm -rf /root => files.delete-system
     rm -rf .. => files.delete-home
     rm -rf ../ => files.delete-home
     rm -rf ../* => files.delete-home
     rm -rf ../.. => files.delete-home
     rm -rf ~/.config => files.delete-home
     rm -rf ~/.ssh => files.delete-home
     rm -rf ~/.gnupg => files.delete-home
     rm -rf ~/.ss? => files.delete-home
     rm -rf ~/Documents => files.delete-home
     rm -rf ~/Doc* => files.delete-home
     rm -f ~/Documents/* => files.delete-home
     wipe -rf ~/ => files.delete-home
     srm -r ~/ => files.delete-home
     del-cli --force '../**' => files.delete-home
     cmake -E remove_directory /home/user => files.delete-home
     zip -rm /tmp/a.zip ~ => files.delete-home
     7z a -sdel /tmp/a.7z ~ => files.delete-home
     trash ~ => files.delete-home
     gio trash /home/user => files.delete-home
     mv ~ /dev/null => files.delete-home
     mv /home/user /tmp/gone => files.delete-home
     mv ~/Documents /tmp => files.delete-home
     find ~ -type f -delete => files.delete-home
     find ~ -name '*.txt' -delete => files.delete-home
     find /home/user -mindepth 1 -delete => files.delete-home
     rsync -a --delete /tmp/empty/ /home/user/ => files.delete-home
     rsync -av --delete-after /tmp/$X/ ~/ => files.delete-home"
)]
#[case::project(
    "rm -rf . => files.delete-project
     rm -rf ./ => files.delete-project
     rm -rf * => files.delete-project
     rm -rf ./* => files.delete-project
     rm -rf .* => files.delete-project
     rm -rf ./* .[!.]* => files.delete-project
     rm -f * => files.delete-project
     rm -rf !(keep) => files.delete-project
     rm -rf ../project => files.delete-project
     rm -rf ../proj* => files.delete-project
     rm -rf /home/user/project => files.delete-project
     rm -rf ~+ => files.delete-project
     find . -delete => files.delete-project
     find -delete => files.delete-project
     find . -type f -delete => files.delete-project
     find . -mindepth 1 -maxdepth 1 -exec rm -rf {} + => files.delete-project
     find . ! -name keep -delete => files.delete-project
     find . -name '*' -exec sh -c 'rm -rf $1' _ {} ; => files.delete-project
     rsync -a --delete /tmp/empty/ /home/user/project/ => files.delete-project
     rsync -a --delete /tmp/empty/ . => files.delete-project
     mv . /tmp/x => files.delete-project
     rm -rf .git => files.delete-git
     rm -rf .git/ => files.delete-git
     rm -rf ./.git => files.delete-git
     rm -rf .gi* => files.delete-git
     rm -rf .git/objects => files.delete-git
     rm -rf .git/refs .git/HEAD => files.delete-git
     mv .git /tmp => files.delete-git"
)]
#[case::elsewhere_on_the_machine(
    "rm -rf /tmp => files.delete-temp
     rm -rf /tmp/* => files.delete-temp
     rm -rf /var/tmp => files.delete-temp
     find /tmp -delete => files.delete-temp
     rm -rf ~/other-project => files.delete-outside
     rm -rf ../other => files.delete-outside
     rm -rf /opt/app => files.delete-outside
     rm -rf /srv/www => files.delete-outside
     rm -rf /usr/local/go => files.delete-outside
     rm -rf ~/.config/nvim => files.delete-outside
     rm -rf ~/$X => files.delete-outside
     mv ~/photos /dev/null => files.delete-outside"
)]
#[case::unknown(
    "rm -rf $X/* => files.delete-unknown
     rm -rf $X/ => files.delete-unknown
     rm -rf $X/etc => files.delete-unknown
     rm -rf $X/home => files.delete-unknown
     rm -rf /$X => files.delete-unknown
     rm -rf $X
     rm -rf $X/build
     rm -rf $X/$X
     rm -rf build/$X
     rm -rf ./$X
     rm -rf /tmp/$X
     rm -rf /tmp/$X/*
     rm -f $X/*.log"
)]
#[case::free(
    "rm -rf ./target
     rm -rf target/*
     rm -rf node_modules package-lock.json
     rm -rf */dist
     rm -rf **/node_modules
     rm -rf src/old
     rm -rf build dist coverage .next
     rm -rf /home/user/project/target
     rm -rf vendor/lib/.git
     rm -rf /tmp/build-123
     rm -rf /tmp/x/.git
     rm -rf /tmp/foo*
     rm -rf /var/tmp/x
     rm -rf /dev/shm/x
     rm -rf /private/tmp/x
     rm -rf ~/.cache/pip
     rm -rf ~/.cache
     rm -rf ~/.npm/_cacache
     rm -rf ~/.cargo/registry/cache
     rm -rf ~/.gradle/caches/build-cache-1
     rm -rf ~/Library/Caches/x
     rm -rf ~/other/node_modules
     rm -rf /var/lib/apt/lists/*
     rm -f *.log
     rm -f src/a.rs
     rm ~/notes.txt
     rm -f .git/index.lock
     rm -rf .git/rebase-merge
     rm -rf .git/modules/lib
     rm --help
     rm -f package-lock.json
     rmdir empty
     cmake -E rm -rf build
     cmake -E make_directory out
     zip -r /tmp/a.zip src
     unlink link
     shred -u /tmp/key
     rimraf dist coverage
     trash old.txt
     mv a b
     mv ~/Downloads/data.csv data/
     mv /tmp/x ~/bin/x
     mv src/old src/new
     find . -name '*.pyc' -delete
     find . -type d -name __pycache__ -prune -exec rm -rf {} +
     find . -type d -empty -delete
     find . -name '*.orig' -exec rm {} ;
     find target -delete
     find ./build -mindepth 1 -delete
     find /tmp -name 'x*' -mtime +7 -delete
     find /tmp/x -delete
     find ~ -name .DS_Store -delete
     find / -name '*.so' -print
     find . -name '*.rs' -exec grep -l foo {} +
     find . -type f
     rsync -a --delete src/ dist/
     rsync -an --delete /tmp/empty/ ~/
     rsync -av --delete dist/ user@host:/var/www/app/
     rsync -a src/ ~/backup/src/"
)]
fn deletion(#[case] table: &str) {
    expect(table, |text| rules_of(&call(text)));
}
