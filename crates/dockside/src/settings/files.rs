//! Settings of files: where they are kept, and how long the links to them live.

use std::path::PathBuf;

use service::shipping::documents::{self, Bucket, FilePlace, LINK_SECONDS, bucket_and_prefix};

use super::Store;
use super::declaration::{Subject, settings};
use super::url::is_origin;
use crate::failure::Failure;

/// The folder for files within the data folder, where no other place is named.
const FOLDER: &str = "files";
const BUCKET_SCHEME: &str = "s3://";

settings! {
    /// Settings of files.
    pub struct Files("Files") {
        /// Where files (labels, customs papers, manifests) are kept: a folder, or a bucket as `s3://bucket/prefix`.
        files("PLACE"): String, shown("`files` in the data folder"), check(|place| check_place(place));

        /// Where that bucket's store is, such as `https://s3.example.com`; without TLS where it says `http://`.
        files_endpoint("URL"): String, shown("Amazon S3"), check(|url| check_endpoint(url));

        /// Its region.
        files_region("REGION"): String = "us-east-1".to_owned();

        /// The id of the key that opens it.
        files_key_id("ID"): String;

        /// That key's secret.
        files_secret("TEXT"): String, secret;

        /// A file with that secret.
        files_secret_file("FILE"): PathBuf;

        /// Whether the bucket is named in the path, and not in the host name.
        files_path_style("BOOL"): bool, shown("true where there is an endpoint, else false");

        /// Seconds that a link to a file lives.
        file_url_seconds("SECONDS"): u32 = LINK_SECONDS, range(1..);
    }
}

fn check_place(text: &str) -> Result<(), String> {
    if text.starts_with(BUCKET_SCHEME) {
        bucket_and_prefix(text).map(drop).map_err(str::to_owned)
    } else if text.is_empty() || text.contains("://") {
        Err("is neither a folder nor a bucket such as s3://labels/dockside".to_owned())
    } else {
        Ok(())
    }
}

fn check_endpoint(url: &str) -> Result<(), String> {
    if is_origin(url.trim_end_matches('/')) {
        Ok(())
    } else {
        Err("is no address such as https://s3.example.com".to_owned())
    }
}

impl Files {
    /// Refuses settings that contradict each other before anything is opened.
    pub(super) fn check(&self, store: &Store) -> Result<(), Failure> {
        self.check_values()?;
        self.place(store).map(drop)
    }

    /// `public_url` is what links begin with.
    pub(super) fn documents(
        &self,
        store: &Store,
        public_url: String,
    ) -> Result<documents::Settings, Failure> {
        Ok(documents::Settings {
            place: self.place(store)?,
            public_url,
            link_seconds: self.file_url_seconds(),
        })
    }

    /// Returns the folder of the files, or `None` if they are in a bucket.
    pub(super) fn local_folder(&self, store: &Store) -> Result<Option<PathBuf>, Failure> {
        Ok(match self.place(store)? {
            FilePlace::Folder(folder) => Some(folder),
            FilePlace::Bucket(_) => None,
        })
    }

    fn place(&self, store: &Store) -> Result<FilePlace, Failure> {
        Ok(match self.files.as_deref() {
            Some(text) if text.starts_with(BUCKET_SCHEME) => FilePlace::Bucket(self.bucket(text)?),
            folder => FilePlace::Folder(self.folder(folder, store)?),
        })
    }

    fn folder(&self, named: Option<&str>, store: &Store) -> Result<PathBuf, Failure> {
        let for_buckets = [
            ("files_endpoint", self.files_endpoint.is_some()),
            ("files_region", self.files_region.is_some()),
            ("files_key_id", self.files_key_id.is_some()),
            ("files_secret", self.files_secret.is_some()),
            ("files_secret_file", self.files_secret_file.is_some()),
            ("files_path_style", self.files_path_style.is_some()),
        ];
        if let Some((name, _)) = for_buckets.iter().find(|(_, is_set)| *is_set) {
            return Err(Failure(format!(
                "the setting {name} goes with a bucket, such as files = \"s3://labels/dockside\""
            )));
        }
        Ok(named.map_or_else(|| store.data().join(FOLDER), PathBuf::from))
    }

    fn bucket(&self, text: &str) -> Result<Bucket, Failure> {
        let (name, prefix) =
            bucket_and_prefix(text).map_err(|why| Failure(format!("the setting files {why}")))?;
        let (Some(key_id), Some(secret)) = (self.files_key_id.clone(), self.secret()?) else {
            let why = "names a bucket, which needs files_key_id, and files_secret or files_secret_file";
            return Err(Failure(format!("the setting files {why}")));
        };
        Ok(Bucket {
            name,
            prefix,
            endpoint: self.files_endpoint.clone(),
            region: Some(self.files_region()),
            key_id,
            secret,
            // Amazon wants the bucket in the host name; others seldom have such names.
            is_in_path: self.files_path_style.unwrap_or_else(|| self.files_endpoint.is_some()),
        })
    }

    fn secret(&self) -> Result<Option<String>, Failure> {
        match (&self.files_secret, &self.files_secret_file) {
            (Some(_), Some(_)) => Err(Failure("set files_secret or files_secret_file, not both".to_owned())),
            (None, Some(file)) => {
                // The name is not said: it may be the secret itself, put into the wrong setting.
                let text = std::fs::read_to_string(file).map_err(|error| {
                    Failure(format!("the setting files_secret_file names a file that can't be read: {error}"))
                })?;
                Ok(Some(text.trim().to_owned()))
            }
            (secret, None) => Ok(secret.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(files: &Files) -> String {
        files.check(&Store::default()).err().map(|failure| failure.0).unwrap_or_default()
    }

    fn bucket() -> Files {
        let text = |text: &str| Some(text.to_owned());
        Files {
            files: text("s3://labels/dockside"),
            files_key_id: text("key"),
            files_secret: text("hunter2"),
            ..Files::default()
        }
    }

    #[test]
    fn files_are_in_the_data_folder_unless_told_otherwise() {
        let place = |files: &Files| match files.place(&Store::default()) {
            Ok(FilePlace::Folder(folder)) => folder.display().to_string(),
            Ok(FilePlace::Bucket(bucket)) => format!("{} {}", bucket.name, bucket.prefix),
            Err(failure) => panic!("{}", failure.0),
        };
        assert_eq!(place(&Files::default()), "dockside-data/files");
        let elsewhere = Files { files: Some("/mnt/labels".to_owned()), ..Files::default() };
        assert_eq!(place(&elsewhere), "/mnt/labels");
        assert_eq!(place(&bucket()), "labels dockside");
    }

    #[test]
    fn what_contradicts_itself_is_named_and_the_secret_is_not_said() {
        assert_eq!(said(&bucket()), "");
        assert!(said(&Files { files_secret: None, ..bucket() }).contains("files_secret_file"));
        assert!(said(&Files { files_key_id: None, ..bucket() }).contains("files_key_id"));
        assert!(said(&Files { files: None, ..bucket() }).contains("files_key_id goes with a bucket"));
        let file = Some(PathBuf::from("nowhere"));
        assert!(said(&Files { files_secret_file: file.clone(), ..bucket() }).contains("not both"));
        let missing = Files { files_secret: None, files_secret_file: file, ..bucket() };
        assert!(said(&missing).contains("files_secret_file") && !said(&missing).contains("nowhere"));
        for endpoint in ["s3.example.com", "http://a/b", "http://"] {
            let wrong = Files { files_endpoint: Some(endpoint.to_owned()), ..bucket() };
            assert!(
                said(&wrong).contains("files_endpoint") && !said(&wrong).contains("hunter2"),
                "{endpoint}"
            );
        }
        for files in ["s3://UPPER", "gs://labels", ""] {
            let wrong = Files { files: Some(files.to_owned()), ..Files::default() };
            assert!(said(&wrong).contains("the setting files"), "{files}");
        }
    }

    #[test]
    fn the_bucket_is_in_the_path_where_the_store_is_not_amazons() {
        let is_in_path = |files: Files| match files.place(&Store::default()) {
            Ok(FilePlace::Bucket(bucket)) => bucket.is_in_path,
            _ => panic!("no bucket"),
        };
        let endpoint = Some("http://127.0.0.1:9000".to_owned());
        assert!(!is_in_path(bucket()));
        assert!(is_in_path(Files { files_endpoint: endpoint.clone(), ..bucket() }));
        assert!(!is_in_path(Files { files_endpoint: endpoint, files_path_style: Some(false), ..bucket() }));
    }
}
