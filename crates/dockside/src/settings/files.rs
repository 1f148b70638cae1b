//! Settings of files: where they are kept, and how long the links to them live.

use std::path::PathBuf;

use clap::Args;
use service::shipping::documents::{self, Bucket, FilePlace, LINK_SECONDS, bucket_and_prefix};

use super::Store;
use super::group::{group, require_positive};
use super::url::is_origin;
use crate::failure::Failure;

/// The folder for files within the data folder, where no other place is named.
const FOLDER: &str = "files";
const BUCKET_SCHEME: &str = "s3://";

#[derive(Args, Default, Clone)]
#[command(next_help_heading = "Files")]
pub struct Files {
    /// Where files are kept: a folder, or a bucket as `s3://bucket/prefix` [default: `files` in the data folder].
    #[arg(long, env = "DOCKSIDE_FILES", value_name = "PLACE")]
    pub files: Option<String>,

    /// Where that bucket's store is, such as `https://s3.example.com` [default: Amazon S3].
    #[arg(long, env = "DOCKSIDE_FILES_ENDPOINT", value_name = "URL")]
    pub files_endpoint: Option<String>,

    /// Its region [default: us-east-1].
    #[arg(long, env = "DOCKSIDE_FILES_REGION", value_name = "REGION")]
    pub files_region: Option<String>,

    /// The id of the key that opens it.
    #[arg(long, env = "DOCKSIDE_FILES_KEY_ID", value_name = "ID")]
    pub files_key_id: Option<String>,

    /// That key's secret.
    #[arg(long, env = "DOCKSIDE_FILES_SECRET", value_name = "TEXT", hide_env_values = true)]
    pub files_secret: Option<String>,

    /// A file with that secret.
    #[arg(long, env = "DOCKSIDE_FILES_SECRET_FILE", value_name = "FILE")]
    pub files_secret_file: Option<PathBuf>,

    /// Whether the bucket is named in the path, and not in the host name [default: true where there is an endpoint].
    #[arg(long, env = "DOCKSIDE_FILES_PATH_STYLE", value_name = "BOOL")]
    pub files_path_style: Option<bool>,

    /// Seconds that a link to a file lives [default: 3600].
    #[arg(long, env = "DOCKSIDE_FILE_URL_SECONDS", value_name = "SECONDS")]
    pub file_url_seconds: Option<u32>,
}

group!(Files {
    files,
    files_endpoint,
    files_region,
    files_key_id,
    files_secret,
    files_secret_file,
    files_path_style,
    file_url_seconds,
});

impl Files {
    /// Refuses settings that contradict each other before anything is opened.
    pub(super) fn check(&self, store: &Store) -> Result<(), Failure> {
        require_positive!(self { file_url_seconds })?;
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
            link_seconds: self.file_url_seconds.unwrap_or(LINK_SECONDS),
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
        match named {
            None => Ok(store.data().join(FOLDER)),
            Some(text) if text.is_empty() || text.contains("://") => {
                let why = "is neither a folder nor a bucket such as s3://labels/dockside";
                Err(Failure(format!("the setting files {why}")))
            }
            Some(folder) => Ok(PathBuf::from(folder)),
        }
    }

    fn bucket(&self, text: &str) -> Result<Bucket, Failure> {
        let (name, prefix) =
            bucket_and_prefix(text).map_err(|why| Failure(format!("the setting files {why}")))?;
        if let Some(endpoint) = &self.files_endpoint
            && !is_origin(endpoint.trim_end_matches('/'))
        {
            let why = "is no address such as https://s3.example.com";
            return Err(Failure(format!("the setting files_endpoint {why}")));
        }
        let (Some(key_id), Some(secret)) = (self.files_key_id.clone(), self.secret()?) else {
            let why = "names a bucket, which needs files_key_id, and files_secret or files_secret_file";
            return Err(Failure(format!("the setting files {why}")));
        };
        Ok(Bucket {
            name,
            prefix,
            endpoint: self.files_endpoint.clone(),
            region: self.files_region.clone(),
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
