//! Shapes as JSON Schema (2020-12, as in OpenAPI 3.1), for requests, answers and patches.

mod ties;

use model::platform::shape::{Field, Kind, Need, Shape};
use serde_json::{Map, Value, json};

/// The default pattern of a text: no control characters.
const PRINTABLE: &str = r"^[^\u0000-\u001F\u007F-\u009F]*$";
/// The pattern of an identifier's body: 128 bits in base 32, so the first character has three bits.
const ID_BODY: &str = "[0-7][0-9a-hjkmnp-tv-z]{25}";

/// Describes the fields of a resource that a request may repeat beside the resource's id.
const READ_BACK: &str = "May be sent back as it was read. The server ignores it here: only the `id` counts.";

/// The direction in which a value is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    In,
    Out,
    /// In a request, merged into the existing resource. Fields that exist already may be absent.
    Patch,
}

impl Way {
    fn suffix(self) -> &'static str {
        match self {
            Way::Out => "",
            Way::In => "Input",
            Way::Patch => "Patch",
        }
    }
}

/// Named schemas, each defined once.
#[derive(Default)]
pub struct Components(Map<String, Value>);

impl Components {
    /// Returns a reference to the named shape, or the schema itself if it has no name.
    pub fn schema(&mut self, shape: &Shape, way: Way) -> Value {
        let Some(name) = shape.name else { return self.inline(shape, way) };
        let stem = name.strip_suffix("Input").unwrap_or(name);
        let name = format!("{stem}{}", way.suffix());
        if !self.0.contains_key(&name) {
            // Reserves the name, in case the shape contains itself.
            self.0.insert(name.clone(), Value::Null);
            let schema = self.inline(shape, way);
            self.0.insert(name.clone(), schema);
        }
        json!({ "$ref": format!("#/components/schemas/{name}") })
    }

    /// Adds a schema that no shape describes.
    pub fn insert(&mut self, name: &str, schema: Value) {
        self.0.insert(name.to_owned(), schema);
    }

    pub fn into_schemas(mut self) -> Value {
        self.0.sort_keys();
        Value::Object(self.0)
    }

    fn inline(&mut self, shape: &Shape, way: Way) -> Value {
        let mut schema = match &shape.kind {
            Kind::Text { chars_min, chars_max, pattern } => json!({
                "type": "string",
                "minLength": chars_min,
                "maxLength": chars_max,
                "pattern": pattern.as_ref().map_or(PRINTABLE, |pattern| pattern.regex),
            }),
            Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
            Kind::Number { min, max } => {
                json!({ "type": "number", "format": "double", "minimum": min, "maximum": max })
            }
            Kind::Integer { min, max } => {
                json!({ "type": "integer", "format": "int64", "minimum": min, "maximum": max })
            }
            Kind::Amount { max } => {
                json!({ "type": "integer", "format": "int64", "minimum": 0, "maximum": max })
            }
            Kind::Boolean => json!({ "type": "boolean" }),
            Kind::Moment => json!({ "type": "string", "format": "date-time" }),
            Kind::Identifier(prefix) => {
                json!({ "type": "string", "pattern": format!("^{prefix}_{ID_BODY}$") })
            }
            Kind::List { of, items_min, items_max, takes_one } => {
                // A patch replaces lists as a whole, so their items are as on creation.
                let way = if way == Way::Patch { Way::In } else { way };
                let item = self.schema(of, way);
                let list =
                    json!({ "type": "array", "minItems": items_min, "maxItems": items_max, "items": item });
                if *takes_one && way != Way::Out { json!({ "anyOf": [list, item] }) } else { list }
            }
            Kind::Open => json!({ "type": "object" }),
            Kind::Identified { of, whole } => self.identified(of, whole, way),
            Kind::Map { key, of, entries_max } => self.map(key.regex, of, *entries_max, way),
            Kind::Object { fields, .. } => self.object(fields, way),
        };
        if let Value::Object(schema) = &mut schema {
            if let Some(Value::Object(ties)) = shape.name.filter(|_| way == Way::In).and_then(ties::of) {
                schema.extend(ties);
            }
            schema.insert("description".to_owned(), shape.about.into());
            if let Some(example) = shape.example.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
                schema.insert("examples".to_owned(), json!([example]));
            }
        }
        schema
    }

    /// Returns the schema of an object that a request may name by its id alone, or send as it was read.
    fn identified(&mut self, of: &Shape, whole: &Shape, way: Way) -> Value {
        let id = of.fields().iter().find(|field| field.name == "id");
        let (Some(id), Some(name)) = (id.filter(|_| way != Way::Out), whole.name) else {
            return json!({ "allOf": [self.schema(of, way)] });
        };
        let name = format!("{name}ById");
        let id = self.schema(id.shape, Way::In);
        let names = of.fields().iter().chain(whole.fields()).map(|field| field.name.to_owned());
        let mut properties: Map<String, Value> =
            names.map(|name| (name, json!({ "description": READ_BACK }))).collect();
        properties.insert("id".to_owned(), id.clone());
        self.insert(
            &name,
            json!({
                "type": "object",
                "required": ["id"],
                "properties": properties,
                "additionalProperties": false,
                "description": "The resource by its `id`. Its other fields, as they were read, are taken too and ignored.",
            }),
        );
        json!({ "anyOf": [id, { "$ref": format!("#/components/schemas/{name}") }] })
    }

    fn map(&mut self, key: &str, of: &Shape, entries_max: usize, way: Way) -> Value {
        let values = self.schema(of, way);
        let mut schema = json!({
            "type": "object",
            "maxProperties": entries_max,
            "additionalProperties": if way == Way::Patch { nullable(values) } else { values },
        });
        if way != Way::Out {
            schema["propertyNames"] = json!({ "pattern": key });
        }
        schema
    }

    fn object(&mut self, fields: &[Field], way: Way) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in fields {
            properties.insert(field.name.to_owned(), self.field(field, way));
            let is_required = match way {
                Way::In => field.need == Need::Required,
                Way::Out => matches!(field.need, Need::Required | Need::Given),
                Way::Patch => false,
            };
            if is_required {
                required.push(field.name);
            }
        }
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        if way != Way::Out {
            schema["additionalProperties"] = json!(false);
        }
        schema
    }

    fn field(&mut self, field: &Field, way: Way) -> Value {
        let mut schema = self.field_of_any_name(field, way);
        let is_made_here = way != Way::Out && matches!(field.need, Need::Given | Need::GivenOrNull);
        if let (Some(about), Value::Object(schema), false) = (field.about, &mut schema, is_made_here) {
            // Next to a `$ref`, this description takes precedence over that of the referenced schema.
            schema.insert("description".to_owned(), about.into());
        }
        schema
    }

    fn field_of_any_name(&mut self, field: &Field, way: Way) -> Value {
        match (way, field.need) {
            (Way::In | Way::Patch, Need::Given | Need::GivenOrNull) => {
                json!({ "description": "Made by the server; ignored in requests." })
            }
            // An object that may not exist yet must be complete.
            (Way::Patch, Need::Optional) if matches!(field.shape.kind, Kind::Object { .. }) => {
                nullable(self.schema(field.shape, Way::In))
            }
            (_, Need::Required) | (Way::Out, Need::Given) => self.schema(field.shape, way),
            (_, Need::Optional | Need::GivenOrNull) => nullable(self.schema(field.shape, way)),
        }
    }
}

fn nullable(mut schema: Value) -> Value {
    match schema.get("type").cloned() {
        Some(kind @ Value::String(_)) if schema.get("enum").is_none() => {
            schema["type"] = json!([kind, "null"]);
            schema
        }
        _ => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}
