//! Rights and whole disks.

use rstest::rstest;

use super::{call, expect, rules_of};

#[rstest]
#[case::held(
    "chmod 777 deploy.sh => permissions.world-writable
     chmod 0777 f => permissions.world-writable
     chmod -R 777 . => permissions.world-writable
     chmod -R 777 / => permissions.world-writable permissions.system
     chmod -R a+rwx . => permissions.world-writable
     chmod ugo+rwx x => permissions.world-writable
     chmod 666 x => permissions.world-writable
     chmod o+w x => permissions.world-writable
     chmod 777 $X => permissions.world-writable
     chmod u+s /tmp/sh => permissions.setuid
     chmod 4755 /tmp/sh => permissions.setuid
     install -m 4755 /bin/bash /tmp/rootsh => permissions.setuid
     chmod -R 000 ~ => permissions.system
     chmod -R 755 / => permissions.system
     chmod 000 /etc/sudoers => permissions.system
     chmod 644 /etc/hosts => permissions.system
     chmod 644 ~/.ssh/id_rsa => permissions.secret
     chmod -R go+r ~/.ssh => permissions.secret
     chmod -x .git/hooks/pre-commit => persist.git-hook
     chown -R user / => permissions.system
     chown -R user:user /usr => permissions.system
     chown user /etc/sudoers => permissions.system
     chown -R nobody ~ => permissions.system
     chgrp -R users / => permissions.system
     chattr -R +i / => permissions.system
     chattr -i /etc/passwd => permissions.system
     setfacl -R -m u:nobody:rwx / => permissions.system
     setfacl -m o::rw x => permissions.world-writable
     setcap cap_setuid+ep /usr/bin/python3 => permissions.setuid permissions.system"
)]
#[case::free(
    "chmod +x scripts/run.sh
     chmod 755 x
     chmod -R 755 .
     chmod -R u+w target
     chmod 644 x
     chmod go-rwx x
     chmod -w x
     chmod 600 ~/.ssh/id_rsa
     chmod +x .git/hooks/pre-commit
     chmod +x /usr/local/bin/x
     chown -R user:user .
     chown -R user ~/.npm
     chown -R user /usr/local/lib/node_modules
     setcap cap_net_bind_service=+ep ./target/app"
)]
#[case::disks(
    "mkfs.ext4 /dev/sda1 => disk.format
     mkfs -t xfs -f /dev/nvme0n1p2 => disk.format
     mkswap /dev/sda3 => disk.format
     wipefs -a /dev/sda => disk.format
     blkdiscard /dev/nvme0n1 => disk.format
     fdisk /dev/sda => disk.format
     sfdisk --delete /dev/sda 1 => disk.format
     sgdisk --zap-all /dev/sda => disk.format
     parted -s /dev/sda mklabel gpt => disk.format
     nvme format /dev/nvme0n1 --ses=1 => disk.format
     badblocks -wsv /dev/sda => disk.format
     diskutil eraseDisk JHFS+ Blank /dev/disk2 => disk.format
     shred -v /dev/sda => files.delete-system
     lvremove -f vg0/root => disk.remove-volume
     mdadm --zero-superblock /dev/sdb1 => disk.remove-volume
     cryptsetup luksFormat /dev/sda2 => disk.remove-volume
     zfs destroy -r tank => disk.remove-volume
     zpool destroy tank => disk.remove-volume
     btrfs subvolume delete /home => disk.remove-volume
     umount -l / => disk.mount
     mount -o remount,ro / => disk.mount
     mount --bind /tmp /etc => disk.mount
     mount
     mount -t tmpfs tmpfs /mnt/x
     mkfs.ext4 -F disk.img
     fdisk -l
     fdisk -l /dev/sda
     parted -l
     wipefs /dev/sda
     diskutil list
     zfs list
     btrfs subvolume list /"
)]
fn rights_and_disks(#[case] table: &str) {
    expect(table, |text| rules_of(&call(text)));
}
