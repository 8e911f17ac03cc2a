//! Proofs as files, one for each theorem. A file that is there already is never written over: it may be the only copy
//! of a proof that took long.

use crate::outputs::OutputTarget;
use std::path::{Path, PathBuf};
use watchkeeper::Problem;
use watchkeeper_prove::{Certificate, CertificateError};

/// Where the certificates of a run go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Files {
    paths: Vec<PathBuf>,
}

impl Files {
    /// A file for each of these theorems; says now if one of them cannot be had.
    pub(super) fn for_theorems(path: &Path, subject: &str, theorems: &[&str]) -> Result<Files, Problem> {
        let paths: Vec<PathBuf> = match theorems {
            _ if path.is_dir() => theorems
                .iter()
                .map(|theorem| path.join(file_name(&format!("{subject}-{theorem}"), "smt2")))
                .collect(),
            [_] => vec![path.to_path_buf()],
            several => several.iter().map(|theorem| suffixed(path, theorem)).collect(),
        };
        for path in &paths {
            if path.exists() {
                return Err(Problem::Usage(format!(
                    "--certificate: {} is there already, and a proof must not be lost; remove it or choose another name",
                    path.display()
                )));
            }
            OutputTarget::File(path.clone()).probe()?;
        }
        Ok(Files { paths })
    }

    /// Writes the certificate of a theorem; says where it is.
    pub(super) fn write(
        &self,
        place: usize,
        certificate: Result<Certificate, CertificateError>,
    ) -> Result<String, String> {
        let path = self.paths.get(place).ok_or("there is no file for this theorem")?;
        let target = OutputTarget::File(path.clone());
        let content = certificate.map_err(|error| format!("{target}: {error}"))?.write();
        target.write(&content).map_err(|why| format!("{target}: {why}"))?;
        Ok(target.to_string())
    }
}

/// `proof.smt2` and a theorem give `proof-theorem.smt2`.
fn suffixed(path: &Path, theorem: &str) -> PathBuf {
    let stem =
        path.file_stem().map_or_else(|| "proof".to_string(), |stem| stem.to_string_lossy().into_owned());
    let ending =
        path.extension().map_or_else(|| "smt2".to_string(), |ending| ending.to_string_lossy().into_owned());
    path.with_file_name(file_name(&format!("{stem}-{theorem}"), &ending))
}

/// A name that every file system takes.
fn file_name(name: &str, ending: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    format!("{}.{ending}", name.chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_theorems_have_files_of_their_own() {
        let dir = std::env::temp_dir().join(format!("watchkeeper-certificates-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        let names = |path: &Path, theorems: &[&str]| {
            let files = Files::for_theorems(path, "binary", theorems).expect("files");
            let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
            files.paths.iter().map(name).collect::<Vec<String>>()
        };
        assert_eq!(names(&dir.join("p.smt2"), &["R1"]), ["p.smt2"]);
        assert_eq!(names(&dir.join("p.txt"), &["R1", "R2 / dense"]), ["p-R1.txt", "p-R2___dense.txt"]);
        assert_eq!(names(&dir, &["R1"]), ["binary-R1.smt2"]);
        std::fs::write(dir.join("p.smt2"), "precious").expect("written");
        let refused = Files::for_theorems(&dir.join("p.smt2"), "binary", &["R1"]).expect_err("it is there");
        assert!(refused.to_string().contains("is there already"), "{refused}");
        std::fs::remove_dir_all(dir).expect("removed");
    }
}
