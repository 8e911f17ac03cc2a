//! The file of `--hosts`: which hosts search together, where they listen, with how many processes, and where their key is.

use super::Plan;
use crate::scenario_file::{LARGEST, TomlFile};
use crate::{inputs, key_file};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use watchkeeper::Problem;
use watchkeeper_runtime::wire::ClusterKey;
use zeroize::Zeroizing;

/// How long hosts may take to come, where the file says nothing: the user goes from one to the next.
const PATIENCE: u64 = 120;

/// What the file says.
pub(super) struct Hosts {
    hosts: Vec<Host>,
    patience: Duration,
    key: Zeroizing<Vec<u8>>,
}

/// One host.
struct Host {
    name: String,
    /// Where its first process listens; the others have the ports after it.
    address: SocketAddr,
    processes: usize,
}

impl Hosts {
    /// Reads the file, and the key that it names.
    pub(super) fn read(path: &Path) -> Result<Hosts, Problem> {
        let unreadable = |why: std::io::Error| {
            Problem::Usage(format!("cannot read the hosts in {}: {why}", path.display()))
        };
        let text = inputs::text(path, LARGEST).map_err(unreadable)?;
        let file = TomlFile { path, text: &text };
        let table = file.table()?;
        let known = ["key", "patience", "hosts"];
        check_keys(&file, table.get_ref(), &known)?;
        let missing = |what: &str| Problem::Usage(format!("{}: {what}", path.display()));
        let Some(key) = table.get_ref().get("key") else {
            return Err(missing(
                "name the file of the shared key, with key = \"FILE\"; `watchkeeper key --out FILE` makes one",
            ));
        };
        let named = Path::new(text_of(&file, key, "the name of a key file")?);
        let named = path.parent().unwrap_or(Path::new("")).join(named);
        let at = |why: String| file.origin(key.span()).refused(format!("{}: {why}", named.display()));
        let digits = key_file::digits(&named).map_err(at)?;
        let key: ClusterKey = digits.parse().map_err(|why| at(format!("{why}")))?;
        let patience = match table.get_ref().get("patience") {
            Some(value) => number_of(&file, value, "a number of seconds", 1, 86_400)?,
            None => PATIENCE,
        };
        let found = table.get_ref().get("hosts").and_then(|value| value.get_ref().as_array());
        let mut hosts: Vec<Host> = Vec::new();
        for value in found.into_iter().flatten() {
            let host = host(&file, value)?;
            let same = |other: &Host| other.name == host.name;
            if hosts.iter().any(same) {
                return Err(file.origin(value.span()).refused(format!("there are two hosts {}", host.name)));
            }
            hosts.push(host);
        }
        if hosts.is_empty() {
            return Err(missing("name each host in a table [[hosts]], with its name, address and processes"));
        }
        let patience = Duration::from_secs(patience);
        Ok(Hosts { hosts, patience, key: Zeroizing::new(key_file::line(&key).trim().as_bytes().to_vec()) })
    }

    /// The workers, as this host has them.
    pub(super) fn plan(self, me: Option<&str>) -> Result<Plan, Problem> {
        let names: Vec<&str> = self.hosts.iter().map(|host| host.name.as_str()).collect();
        let mine = match me {
            None => 0,
            Some(me) => names.iter().position(|name| *name == me).ok_or_else(|| {
                Problem::Usage(format!("--host {me}: there is no such host; known are {}", names.join(", ")))
            })?,
        };
        let mut workers = Vec::new();
        let mut first = 0;
        for (number, host) in self.hosts.iter().enumerate() {
            if number == mine {
                first = workers.len();
            }
            for process in 0..host.processes {
                let port = u16::try_from(process).ok().and_then(|more| host.address.port().checked_add(more));
                let port = port.ok_or_else(|| {
                    Problem::Usage(format!(
                        "host {}: its processes need ports beyond 65535; begin lower",
                        host.name
                    ))
                })?;
                workers.push((host.name.clone(), SocketAddr::new(host.address.ip(), port)));
            }
        }
        if workers.len() > super::MOST {
            return Err(Problem::Usage(format!("{} processes are more than {}", workers.len(), super::MOST)));
        }
        let here = self.hosts[mine].processes;
        Ok(Plan { workers, first, here, patience: self.patience, key: self.key, in_file: true })
    }
}

fn host(file: &TomlFile<'_>, value: &Spanned<DeValue<'_>>) -> Result<Host, Problem> {
    let refused = |why: &str| file.origin(value.span()).refused(why.to_string());
    let table = value.get_ref().as_table().ok_or_else(|| refused("a host is a table [[hosts]]"))?;
    check_keys(file, table, &["name", "address", "processes"])?;
    let name = table.get("name").ok_or_else(|| refused("a host has a name"))?;
    let name = text_of(file, name, "a name")?.to_string();
    let place =
        table.get("address").ok_or_else(|| refused("a host has an address, such as 10.0.0.1:7400"))?;
    let address: SocketAddr = text_of(file, place, "an address")?.parse().map_err(|_| {
        file.origin(place.span())
            .refused("this is no address; write the number of the host and a port, such as 10.0.0.1:7400")
    })?;
    if address.port() == 0 || address.ip().is_unspecified() {
        let why = "others call this address, so name the interface and the port, such as 10.0.0.1:7400";
        return Err(file.origin(place.span()).refused(why));
    }
    let processes = match table.get("processes") {
        Some(value) => number_of(file, value, "a number of processes", 1, super::MOST as u64)? as usize,
        None => 1,
    };
    Ok(Host { name, address, processes })
}

fn check_keys(file: &TomlFile<'_>, table: &DeTable<'_>, known: &[&str]) -> Result<(), Problem> {
    match table.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
        None => Ok(()),
        Some((key, _)) => Err(Problem::Unknown {
            origin: file.origin(key.span()),
            what: "key",
            name: key.get_ref().to_string(),
            known: known.iter().map(|known| known.to_string()).collect(),
        }),
    }
}

fn text_of<'t>(file: &TomlFile<'_>, value: &'t Spanned<DeValue<'_>>, what: &str) -> Result<&'t str, Problem> {
    let wrong = || file.origin(value.span()).refused(format!("this must be {what}, in quotes"));
    value.get_ref().as_str().ok_or_else(wrong)
}

fn number_of(
    file: &TomlFile<'_>,
    value: &Spanned<DeValue<'_>>,
    what: &str,
    least: u64,
    most: u64,
) -> Result<u64, Problem> {
    let number = value.get_ref().as_integer().and_then(|number| number.as_str().parse::<u64>().ok());
    let number = number.filter(|number| (least..=most).contains(number));
    let wrong = || file.origin(value.span()).refused(format!("this must be {what}, from {least} to {most}"));
    number.ok_or_else(wrong)
}
