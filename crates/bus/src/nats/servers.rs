//! Where NATS is, as an operator writes it: `nats://user:password@host:4222`, or `nats://token@host`; with `tls://` it is
//! encrypted. Several servers of one cluster are separated by commas.

use std::fmt;
use std::str::FromStr;

use async_nats::ServerAddr;
use url::Url;

const PORT_DEFAULT: u16 = 4222;

/// The addresses of NATS servers. What shows of them has no credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsServers {
    /// The addresses without credentials.
    addresses: Vec<ServerAddr>,
    credentials: UrlCredentials,
    is_tls: bool,
}

#[derive(Clone, PartialEq, Eq)]
pub enum UrlCredentials {
    None,
    Token(String),
    User { name: String, password: String },
}

impl NatsServers {
    /// Whether connections must be encrypted, whatever a server says.
    pub fn is_tls(&self) -> bool {
        self.is_tls
    }

    pub(super) fn addresses(&self) -> Vec<ServerAddr> {
        self.addresses.clone()
    }

    /// The credentials, which are the same for all servers.
    pub(super) fn credentials(&self) -> &UrlCredentials {
        &self.credentials
    }
}

impl FromStr for NatsServers {
    /// A sentence that goes on after the setting's name, and repeats nothing of what may be secret.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = split(text).map(read);
        let (address, credentials) = all.next().ok_or("names no host")??;
        let mut servers = Self { is_tls: address.tls_required(), addresses: vec![address], credentials };
        for next in all {
            let (address, credentials) = next?;
            if address.tls_required() != servers.is_tls {
                return Err("has addresses with nats:// and with tls://: use one of them for all servers");
            }
            if credentials != UrlCredentials::None && credentials != servers.credentials {
                return Err(
                    "has different credentials for several servers: write the same ones, or only in the first address",
                );
            }
            servers.addresses.push(address);
        }
        Ok(servers)
    }
}

/// Splits the text at each comma before an address. A password may have commas, too.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let begins = |rest: &str| rest.starts_with(",nats://") || rest.starts_with(",tls://");
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let all = rest?;
        let comma = all.match_indices(',').map(|(at, _)| at).find(|at| begins(&all[*at..]));
        rest = comma.map(|at| &all[at + 1..]);
        Some(&all[..comma.unwrap_or(all.len())])
    })
}

fn read(text: &str) -> Result<(ServerAddr, UrlCredentials), &'static str> {
    if !text.starts_with("nats://") && !text.starts_with("tls://") {
        return Err("must start with nats:// or tls://");
    }
    let example = "is not an address such as nats://user:password@host:4222";
    let mut url = Url::parse(text).map_err(|_| example)?;
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err("must end after the host and its port");
    }
    let host = url.host_str().filter(|host| !host.is_empty()).ok_or("names no host")?;
    if host.contains(',') {
        return Err(
            "names several hosts: write each as an address of its own, such as nats://one,nats://two",
        );
    }
    let decoded = |text| decode(text).ok_or("has credentials that can't be decoded: a % there is %25");
    let name = decoded(url.username())?;
    let password = url.password().map(decoded).transpose()?;
    let credentials = match password {
        Some(password) => UrlCredentials::User { name, password },
        None if name.is_empty() => UrlCredentials::None,
        None => UrlCredentials::Token(name),
    };
    // `async-nats` gets the credentials decoded, and shows addresses in its errors.
    url.set_username("").and_then(|()| url.set_password(None)).map_err(|()| example)?;
    if url.port().is_none() {
        url.set_port(Some(PORT_DEFAULT)).map_err(|()| example)?;
    }
    url.set_path("");
    let address = ServerAddr::from_url(url).map_err(|_| example)?;
    Ok((address, credentials))
}

/// Takes away percent encoding.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

impl fmt::Debug for NatsServers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<_> = self.addresses.iter().map(ServerAddr::as_url_str).collect();
        out.write_str(&shown.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> NatsServers {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn user(name: &str, password: &str) -> UrlCredentials {
        UrlCredentials::User { name: name.to_owned(), password: password.to_owned() }
    }

    #[test]
    fn an_address_has_a_host_a_port_and_credentials() {
        let cases = [
            ("nats://nats.internal", "nats.internal", 4222, UrlCredentials::None),
            ("nats://127.0.0.1:14222/", "127.0.0.1", 14222, UrlCredentials::None),
            ("nats://[::1]:4000", "::1", 4000, UrlCredentials::None),
            ("nats://s3cret@host", "host", 4222, UrlCredentials::Token("s3cret".to_owned())),
            ("nats://ada:love@host:1", "host", 1, user("ada", "love")),
            ("nats://ada:lo,ve@host", "host", 4222, user("ada", "lo,ve")),
            ("nats://a%40b:p%25%3a%2F%C3%A9@host", "host", 4222, user("a@b", "p%:/é")),
        ];
        for (text, host, port, credentials) in &cases {
            let servers = read(text);
            let [address] = &servers.addresses()[..] else { panic!("{text}") };
            assert_eq!((address.host(), address.port()), (*host, *port), "{text}");
            assert!(servers.credentials() == credentials, "{text}");
            assert!(!servers.is_tls());
        }
        assert!(read("tls://host").is_tls());
    }

    #[test]
    fn several_servers_share_their_credentials() {
        for text in [
            "tls://ada:lo,ve@one,tls://two:1,tls://[::1]",
            "tls://ada:lo,ve@one,tls://ada:lo,ve@two:1,tls://[::1]:4222",
        ] {
            let servers = read(text);
            assert_eq!(format!("{servers:?}"), "tls://one:4222,tls://two:1,tls://[::1]:4222");
            assert!(*servers.credentials() == user("ada", "lo,ve") && servers.is_tls());
        }
    }

    #[test]
    fn what_shows_of_it_has_no_credentials() {
        assert_eq!(format!("{:?}", read("nats://ada:love@host")), "nats://host:4222");
    }

    #[test]
    fn a_wrong_address_is_refused_with_what_is_wrong_and_without_its_password() {
        let cases = [
            ("", "must start with nats://"),
            ("host:4222", "must start with nats://"),
            ("ws://ada:love@host", "must start with nats://"),
            ("http://ada:love@host", "must start with nats:// or tls://"),
            ("nats://", "host"),
            ("nats://ada:love@", "such as"),
            ("nats://ada:love@host:0x1", "such as"),
            ("nats://ada:love@host:99999", "such as"),
            ("nats://ada:love@host/hints", "must end after"),
            ("nats://ada:love@host?tls=1", "must end after"),
            ("nats://ada:love@host#x", "must end after"),
            ("nats://ada:love@a,b", "several"),
            ("nats://ada:love@a,nats://", "host"),
            ("nats://ada:love@a,tls://b", "use one of them"),
            ("nats://ada:love@a,nats://eve:love@b", "different credentials"),
            ("nats://ada:lo%ve@host", "%25"),
            ("nats://ada:lo%f@host", "%25"),
            ("nats://ada:lo%ff@host", "%25"),
        ];
        for (text, why) in cases {
            let error = text.parse::<NatsServers>().unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
            assert!(!error.contains("love"), "{error}");
        }
    }
}
