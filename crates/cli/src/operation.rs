//! The operations of the public API that commands may call, made from its contract while the crate is built.

/// An operation of the API.
#[derive(Debug)]
pub struct Operation {
    /// Its name in the contract: `list_orders`.
    pub id: &'static str,
    pub method: &'static str,
    /// `/orders/{order_id}`.
    pub path: &'static str,
    /// The field of a page that has the entries, if the operation gives a list page by page: `data`.
    pub entries: Option<&'static str>,
    /// The parameters that it reads from the query.
    pub query: &'static [Parameter],
}

/// A parameter of a query.
#[derive(Debug)]
pub struct Parameter {
    pub name: &'static str,
    /// Its name as a flag: `on-hold` for `on_hold`.
    pub flag: &'static str,
    pub about: &'static str,
    pub kind: ParameterKind,
    /// The words that it may be. Empty if it may be anything.
    pub words: &'static [&'static str],
}

/// How the value of a parameter is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterKind {
    Text,
    /// Several values, separated by commas.
    List,
    /// `true` or `false`.
    Switch,
}

include!(concat!(env!("OUT_DIR"), "/operations.rs"));

impl Operation {
    /// Returns the operation of this name, for commands that choose among many of a kind.
    pub fn named(id: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|operation| operation.id == id)
    }

    /// Returns the path and the query of a request. The ids take the places of the path's parameters, in their order.
    pub fn address<Name: AsRef<str>>(&self, ids: &[&str], query: &[(Name, String)]) -> String {
        let mut ids = ids.iter();
        let mut address = String::new();
        for segment in self.path.split('/').skip(1) {
            address.push('/');
            let id = if segment.starts_with('{') { ids.next() } else { None };
            match id {
                Some(id) => address.push_str(&encode(id)),
                None => address.push_str(segment),
            }
        }
        for (place, (name, value)) in query.iter().enumerate() {
            address.push(if place == 0 { '?' } else { '&' });
            address.push_str(&encode(name.as_ref()));
            address.push('=');
            address.push_str(&encode(value));
        }
        address
    }
}

/// Percent-encodes a value in a path or a query.
pub fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~[],:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_ids_and_its_query() {
        let query = [("customer", "Müller & Co".to_owned()), ("tags", "a,b".to_owned())];
        assert_eq!(LIST_ORDERS.address(&[], &query), "/orders?customer=M%C3%BCller%20%26%20Co&tags=a,b");
        let address = ADJUST_INVENTORY_LEVEL.address::<&str>(&["inv_1", "../x"], &[]);
        assert_eq!(address, "/inventory_items/inv_1/levels/..%2Fx/adjust");
    }

    #[test]
    fn parameters_come_from_the_contract() {
        let parameter = |operation: &'static Operation, name: &str| {
            operation.query.iter().find(|parameter| parameter.name == name).unwrap()
        };
        let status = parameter(&LIST_ORDERS, "status");
        assert_eq!((status.kind, status.words.contains(&"committed")), (ParameterKind::Text, true));
        assert_eq!(parameter(&LIST_ORDERS, "tags").kind, ParameterKind::List);
        assert_eq!(parameter(&LIST_ORDERS, "on_hold").kind, ParameterKind::Switch);
        assert!(!parameter(&LIST_ORDERS, "customer").about.is_empty());
    }

    #[test]
    fn the_contract_says_where_the_entries_of_a_list_are() {
        assert_eq!(LIST_ORDERS.entries, Some("data"));
        assert_eq!(LIST_LOCATIONS.entries, Some("locations"));
        assert_eq!(GET_ORDER.entries, None);
    }
}
