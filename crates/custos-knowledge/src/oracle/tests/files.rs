//! The files: markers, and what a person wrote beside them.

use insta::assert_snapshot;
use proptest::prelude::*;

use super::Project;
use crate::oracle::block::merge;
use crate::oracle::{generated, render, rescan};

const PAGE: &str = "# Stack\n\n<!-- custos:scan -->\nnew\n<!-- /custos:scan -->\n";

#[test]
fn a_file_that_is_not_there_or_empty_is_the_page() {
    assert_eq!(merge(None, PAGE), PAGE);
    assert_eq!(merge(Some(" \n"), PAGE), PAGE);
}

#[test]
fn text_around_the_markers_stays() {
    let old = "# Ours\n\nby hand\n\n<!-- custos:scan -->\nold\nolder\n<!-- /custos:scan -->\n\n## More\nno line end";
    assert_snapshot!(merge(Some(old), PAGE), @r"
    # Ours

    by hand

    <!-- custos:scan -->
    new
    <!-- /custos:scan -->

    ## More
    no line end
    ");
}

#[test]
fn a_file_without_markers_gets_the_part_once() {
    for old in ["by hand", "by hand\n", "by hand\n\n"] {
        let merged = merge(Some(old), PAGE);
        assert_eq!(merged, "by hand\n\n<!-- custos:scan -->\nnew\n<!-- /custos:scan -->\n");
        assert_eq!(merge(Some(&merged), PAGE), merged);
    }
}

#[test]
fn a_part_that_a_merge_doubled_is_one_again() {
    let old = "<!-- custos:scan -->\na\n<!-- /custos:scan -->\nmine\n<!-- custos:scan -->\nb\n<!-- /custos:scan -->\nend\n";
    assert_eq!(merge(Some(old), PAGE), "<!-- custos:scan -->\nnew\n<!-- /custos:scan -->\nmine\nend\n");
}

#[test]
fn a_marker_without_its_partner_is_text() {
    for old in [
        "<!-- custos:scan -->\nmine\n",
        "mine\n<!-- /custos:scan -->\n",
        "say `<!-- custos:scan -->` to it\n",
    ] {
        let merged = merge(Some(old), PAGE);
        assert!(merged.starts_with(old), "{merged}");
        assert_eq!(merge(Some(&merged), PAGE), merged);
    }
}

#[test]
fn line_ends_are_those_of_the_file() {
    let old = "mine\r\n\r\n<!-- custos:scan -->\r\nold\r\n<!-- /custos:scan -->\r\n";
    let new = "mine\r\n\r\n<!-- custos:scan -->\r\nnew\r\n<!-- /custos:scan -->\r\n";
    assert_eq!(merge(Some(old), PAGE), new);
    assert_eq!(merge(Some(new), PAGE), new);
    // A lone carriage return becomes half of a line end when something follows.
    for old in ["mine\r", "<!-- custos:scan -->\nold\n<!-- /custos:scan -->\n\r"] {
        let merged = merge(Some(old), PAGE);
        assert_eq!(merge(Some(&merged), PAGE), merged);
    }
}

#[test]
fn the_generated_part_can_be_taken_out() {
    assert_eq!(generated(PAGE), Some("<!-- custos:scan -->\nnew\n<!-- /custos:scan -->"));
    assert_eq!(generated("by hand"), None);
}

#[test]
fn a_rescan_changes_nothing() {
    let project = Project::new(&[
        ("Cargo.toml", "[package]\nname = \"x\"\nedition = \"2024\"\n"),
        ("src/lib.rs", "pub struct X;\n"),
    ]);
    let first = render(&project.scan());
    let second = render(&project.scan());
    assert_eq!(first, second);
    for line_end in ["\n", "\r\n"] {
        let written = rescan(None, &first.stack, None).text.replace('\n', line_end);
        assert_eq!(rescan(Some(&written), &second.stack, None).text, written);
    }
}

/// A file as a scan leaves it, with the generated part for the next time.
fn scanned(body: &str) -> (String, String) {
    let first = rescan(None, &page(body), None);
    (first.text, first.body)
}

fn page(body: &str) -> String {
    PAGE.replace("new", body)
}

#[test]
fn what_somebody_wrote_between_the_markers_goes_below_them() {
    let (text, last) = scanned("- Rust\n- Go");
    assert_snapshot!(text, @r"
    # Stack

    <!-- custos:scan -->
    - Rust
    - Go
    <!-- as scanned: ab140f90d34db725 -->
    <!-- /custos:scan -->
    ");
    // Also where the scan finds nothing new, and in other line ends.
    for (line_end, body) in
        [("\n", "- Rust\n- Go"), ("\r\n", "- Rust\n- Go"), ("\n", "- Zig"), ("\r\n", "- Zig")]
    {
        let edited = text.replace("scan -->\n- Rust\n", "scan -->\nMine.\n- Rust 1.90\n") + "\nOurs.\n";
        let edited = edited.replace('\n', line_end);
        let again = rescan(Some(&edited), &page(body), Some(&last));
        let moved = "Mine.\n- Rust 1.90";
        assert_eq!((again.moved.as_str(), again.is_unsure), (moved, false));
        let expected = format!("{}\n{moved}\n\nOurs.\n", scanned(body).0).replace('\n', line_end);
        assert_eq!(again.text, expected);
        let third = rescan(Some(&again.text), &page(body), Some(&again.body));
        assert_eq!((third.text, third.moved), (again.text, String::new()));
    }
    // A line that is gone comes back, and what stands below at once stays apart.
    let edited = text.replace("- Go\n", "Mine.\n") + "Ours.";
    let again = rescan(Some(&edited), &page("- Rust\n- Go"), Some(&last));
    assert_eq!(again.text, format!("{text}\nMine.\n\nOurs."));
}

#[test]
fn lines_of_an_older_scan_are_nobodys() {
    let (text, _) = scanned("- Rust\n- Go");
    // Another machine made it: its seal fits.
    let again = rescan(Some(&text), &page("- Zig"), None);
    assert_eq!((again.text, again.moved, again.is_unsure), (scanned("- Zig").0, String::new(), false));
    let again = rescan(Some(&text), &page("- Zig"), Some("- C"));
    assert_eq!((again.text, again.moved, again.is_unsure), (scanned("- Zig").0, String::new(), false));
    // It has no seal, or was changed and nobody knows how it was: nothing is moved, and nothing shall be lost.
    for touched in [page("- Rust"), text.replace("- Go\n", "- Go\nMine.\n")] {
        for last in [None, Some("- C")] {
            let again = rescan(Some(&touched), &page("- Zig"), last);
            assert_eq!((again.text, again.moved, again.is_unsure), (scanned("- Zig").0, String::new(), true));
        }
    }
    // Without news it stays as it is, sealed or not.
    let again = rescan(Some(&page("- Rust")), &page("- Rust"), None);
    assert_eq!((again.text, again.is_unsure), (page("- Rust"), false));
}

proptest! {
    #[test]
    fn no_byte_of_a_person_is_lost(before in "(?s).{0,200}", after in "(?s).{0,200}") {
        prop_assume!(!format!("{before}{after}").contains("custos:scan"));
        let old = format!("{before}\n<!-- custos:scan -->\nold\n<!-- /custos:scan -->\n{after}");
        let merged = merge(Some(&old), PAGE);
        let block = generated(PAGE).unwrap();
        prop_assert_eq!(&merged, &format!("{before}\n{block}\n{after}"));
        prop_assert_eq!(merge(Some(&merged), PAGE), merged);
    }

    #[test]
    fn a_text_without_markers_is_kept_whole(old in "(?s).{0,300}") {
        prop_assume!(!old.contains("custos:scan") && !old.trim().is_empty());
        let merged = merge(Some(&old), PAGE);
        prop_assert!(merged.starts_with(&old));
        prop_assert_eq!(merge(Some(&merged), PAGE), merged);
    }
}

#[test]
fn a_part_without_its_last_line_ends_with_its_seal() {
    let end = "<!-- /custos:scan -->\n";
    let (file, _) = scanned("- Rust");
    let torn = file.replace(end, "by hand\n");
    assert_ne!(torn, file);
    let again = rescan(Some(&torn), &page("- Rust"), Some("- Rust"));
    assert_eq!(again.text, file.replace(end, &format!("{end}by hand\n")));
    let news = rescan(Some(&torn), &page("- Go"), Some("- Rust"));
    let (of_go, _) = scanned("- Go");
    assert_eq!(news.text, of_go.replace(end, &format!("{end}by hand\n")));
    assert_eq!((news.moved.as_str(), news.is_unsure), ("", false));
    // As an earlier version left it: the torn part, and a second one below.
    let twice = format!("{torn}\n{}", &file[file.find("<!-- custos:scan -->").unwrap()..]);
    let mended = rescan(Some(&twice), &page("- Go"), Some("- Rust"));
    assert_eq!(mended.text, of_go.replace(end, &format!("{end}by hand\n\n")));
    // What somebody wrote into it is nobody's to take.
    let touched = torn.replace("- Rust", "- Rust\n- mine");
    assert!(rescan(Some(&touched), &page("- Go"), Some("- Rust")).text.starts_with(&touched));
}
