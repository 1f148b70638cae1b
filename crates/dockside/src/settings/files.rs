//! Settings of files: where they are kept, and what the links to them look like.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use service::documents::{self, Bucket, FilePlace, LINK_SECONDS, bucket_and_prefix};

use super::Settings;
use crate::Failure;

/// The folder for files within the data folder, where no other place is named.
const FOLDER: &str = "files";
const BUCKET_SCHEME: &str = "s3://";

impl Settings {
    /// `address` is where this server listens: what links begin with where `public_url` does not say.
    pub(super) fn files(&self, address: SocketAddr) -> Result<documents::Settings, Failure> {
        let place = match self.files.as_deref() {
            Some(text) if text.starts_with(BUCKET_SCHEME) => FilePlace::Bucket(self.bucket(text)?),
            folder => FilePlace::Folder(self.folder(folder)?),
        };
        let public_url = match &self.public_url {
            Some(url) => public_url(url)?,
            None => format!("http://{}", reachable(address)),
        };
        Ok(documents::Settings {
            place,
            public_url,
            link_seconds: self.file_url_seconds.unwrap_or(LINK_SECONDS),
        })
    }

    /// Refuses what contradicts itself before anything is opened.
    pub(super) fn check_files(&self) -> Result<(), Failure> {
        self.files(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).map(drop)
    }

    fn folder(&self, named: Option<&str>) -> Result<PathBuf, Failure> {
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
            None => Ok(self.data().join(FOLDER)),
            Some(text) if text.is_empty() || text.contains("://") => Err(Failure(format!(
                "the setting files is {text:?}, which is neither a folder nor a bucket such as s3://labels/dockside"
            ))),
            Some(folder) => Ok(PathBuf::from(folder)),
        }
    }

    fn bucket(&self, text: &str) -> Result<Bucket, Failure> {
        let (name, prefix) =
            bucket_and_prefix(text).map_err(|why| Failure(format!("the setting files {why}")))?;
        if let Some(endpoint) = &self.files_endpoint
            && !is_origin(endpoint.trim_end_matches('/'))
        {
            return Err(Failure(format!(
                "the setting files_endpoint is {endpoint:?}, which is no address such as https://s3.example.com"
            )));
        }
        let (Some(key_id), Some(secret)) = (self.files_key_id.clone(), self.secret()?) else {
            let why = "needs files_key_id, and files_secret or files_secret_file";
            return Err(Failure(format!("the setting files = \"{text}\" {why}")));
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
                let text = std::fs::read_to_string(file).map_err(|error| {
                    Failure(format!("the setting files_secret_file names {}: {error}", file.display()))
                })?;
                Ok(Some(text.trim().to_owned()))
            }
            (secret, None) => Ok(secret.clone()),
        }
    }
}

/// The address that clients reach this server under, without a slash at its end.
fn public_url(text: &str) -> Result<String, Failure> {
    let url = text.trim_end_matches('/');
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}?#@".contains(&byte);
    let rest = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
    let is_url = rest.is_some_and(|(_, rest)| !rest.is_empty() && !rest.starts_with('/'));
    if is_url && url.bytes().all(is_plain) {
        return Ok(url.to_owned());
    }
    let example = "https://dockside.example.com";
    Err(Failure(format!("the setting public_url is {text:?}, which is no address such as {example}")))
}

/// Whether it is a scheme, a host and perhaps a port, and no more.
fn is_origin(text: &str) -> bool {
    public_url(text).is_ok() && text.split_once("://").is_some_and(|(_, host)| !host.contains('/'))
}

/// Where a client on this machine reaches a server that listens there: one that listens everywhere listens nowhere in
/// particular.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(settings: &Settings) -> String {
        settings.check_files().err().map(|failure| failure.0).unwrap_or_default()
    }

    fn bucket() -> Settings {
        let text = |text: &str| Some(text.to_owned());
        Settings {
            files: text("s3://labels/dockside"),
            files_key_id: text("key"),
            files_secret: text("hunter2"),
            ..Settings::default()
        }
    }

    #[test]
    fn files_are_in_the_data_folder_unless_told_otherwise() {
        let place = |settings: &Settings| match settings
            .files(([127, 0, 0, 1], 80).into())
            .map(|files| files.place)
        {
            Ok(FilePlace::Folder(folder)) => folder.display().to_string(),
            Ok(FilePlace::Bucket(bucket)) => format!("{} {}", bucket.name, bucket.prefix),
            Err(failure) => panic!("{}", failure.0),
        };
        assert_eq!(place(&Settings::default()), "dockside-data/files");
        let elsewhere = Settings { files: Some("/mnt/labels".to_owned()), ..Settings::default() };
        assert_eq!(place(&elsewhere), "/mnt/labels");
        assert_eq!(place(&bucket()), "labels dockside");
    }

    #[test]
    fn links_begin_with_the_public_url_or_where_the_server_listens() {
        let begin = |public_url: Option<&str>, address: &str| {
            let settings = Settings { public_url: public_url.map(str::to_owned), ..Settings::default() };
            settings.files(address.parse().unwrap()).ok().map(|files| files.public_url).unwrap_or_default()
        };
        assert_eq!(begin(None, "10.1.2.3:8080"), "http://10.1.2.3:8080");
        assert_eq!(begin(None, "0.0.0.0:81"), "http://127.0.0.1:81");
        assert_eq!(begin(None, "[::]:81"), "http://[::1]:81");
        assert_eq!(begin(Some("https://ship.example.com/"), "0.0.0.0:81"), "https://ship.example.com");
        assert_eq!(begin(Some("https://example.com/ship"), "0.0.0.0:81"), "https://example.com/ship");
        for wrong in
            ["", "ship.example.com", "ftp://a", "https://", "https:///a", "https://a b", "https://a?b"]
        {
            assert_eq!(begin(Some(wrong), "0.0.0.0:81"), "", "{wrong}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_named_and_the_secret_is_not_said() {
        assert_eq!(said(&bucket()), "");
        assert!(said(&Settings { files_secret: None, ..bucket() }).contains("files_secret_file"));
        assert!(said(&Settings { files_key_id: None, ..bucket() }).contains("files_key_id"));
        assert!(said(&Settings { files: None, ..bucket() }).contains("files_key_id goes with a bucket"));
        let file = Some(PathBuf::from("nowhere"));
        assert!(said(&Settings { files_secret_file: file.clone(), ..bucket() }).contains("not both"));
        let missing = Settings { files_secret: None, files_secret_file: file, ..bucket() };
        assert!(said(&missing).contains("nowhere"));
        for endpoint in ["s3.example.com", "http://a/b", "http://"] {
            let wrong = Settings { files_endpoint: Some(endpoint.to_owned()), ..bucket() };
            assert!(
                said(&wrong).contains("files_endpoint") && !said(&wrong).contains("hunter2"),
                "{endpoint}"
            );
        }
        for files in ["s3://UPPER", "gs://labels", ""] {
            let wrong = Settings { files: Some(files.to_owned()), ..Settings::default() };
            assert!(said(&wrong).contains("the setting files"), "{files}");
        }
    }

    #[test]
    fn the_bucket_is_in_the_path_where_the_store_is_not_amazons() {
        let is_in_path =
            |settings: Settings| match settings.files(([127, 0, 0, 1], 80).into()).map(|files| files.place) {
                Ok(FilePlace::Bucket(bucket)) => bucket.is_in_path,
                _ => panic!("no bucket"),
            };
        let endpoint = Some("http://127.0.0.1:9000".to_owned());
        assert!(!is_in_path(bucket()));
        assert!(is_in_path(Settings { files_endpoint: endpoint.clone(), ..bucket() }));
        assert!(!is_in_path(Settings {
            files_endpoint: endpoint,
            files_path_style: Some(false),
            ..bucket()
        }));
    }
}
