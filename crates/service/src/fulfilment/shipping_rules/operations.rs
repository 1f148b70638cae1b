//! Operations on shipping rules: create, read, change, order, delete and evaluate them.

use model::fulfilment::shipping_rule::{
    EvaluationInput, RULES_MAX, ShippingRule, ShippingRuleInput, evaluate,
};
use model::platform::shape;
use model::{Code, Error, Event, Id, Result, Scope, Timestamp, ensure};
use serde_json::Value;
use store::fulfilment::shipping_rules;
use store::{Order, Tx};

use super::evaluation::{facts_of, rule_set};
use super::stored::{locked, parse};
use super::{positions, references};
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, previous, version_etag};

/// Operations on shipping rules.
#[derive(Clone)]
pub struct ShippingRules {
    context: Context,
}

impl ShippingRules {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Creates a rule at its position, or as the last one.
    pub async fn create(&self, command: Command, input: ShippingRuleInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<ShippingRule>(now);
        let log = self.context.event_log(&command.caller, owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            let mut input = input.clone();
            input.ensure_not_empty()?;
            let rules = locked(tx, owner).await?;
            ensure(rules.len() < RULES_MAX, Code::TooManyShippingRules)?;
            let used = references::resolve(tx, owner, &mut input, None).await?;
            let place = positions::place(input.position, rules.len());
            let position = positions::position(place);
            let rule = written(id, input, position, now, now);
            let doc = json(&rule)?;
            let later: Vec<_> = rules.into_iter().skip(place).collect();
            positions::arrange(tx, owner, later, position + 1, &log, now).await?;
            shipping_rules::insert(tx, owner, id, position, &doc).await?;
            shipping_rules::set_uses(tx, owner, id, &used).await?;
            log.append(tx, &Event::new("shipping_rule.created", id, &doc)).await?;
            Ok(Reply::created(format!("/shipping_rules/{id}"), Some(version_etag(1)), doc))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<ShippingRule>) -> Result<Reply> {
        let owner = caller.owner;
        let read =
            self.context.db().read(owner, async move |tx| found(shipping_rules::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    /// Returns a page of the rules, in the order of their positions.
    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| shipping_rules::page(tx, owner, &start, limit).await);
        self.context.listing_in(Order::OldestFirst, owner, &query, read.await?)
    }

    /// Merges a patch into the rule. If it names another position, the rules between move by one.
    pub async fn update(&self, command: Command, id: Id<ShippingRule>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            let mut rules = locked(tx, owner).await?;
            let at = found(rules.iter().position(|rule| rule.id == id))?;
            let old = rules.remove(at);
            ensure_current(&precondition, &version_etag(old.version))?;
            let before = parse(&old)?;
            let current = serde_json::to_value(&before).map_err(Error::fault)?;
            let mut input: ShippingRuleInput = shape::parse_patch(current, patch.clone())?;
            input.ensure_not_empty()?;
            let used = references::resolve(tx, owner, &mut input, Some(&before.action)).await?;
            let place = positions::place(input.position.or(Some(old.position)), rules.len());
            let position = positions::position(place);
            let after = written(id, input, position, before.created_at, now);
            let doc = json(&after)?;
            if position != old.position {
                shipping_rules::clear_position(tx, owner, id).await?;
                let later = rules.split_off(place);
                positions::arrange(tx, owner, rules, 1, &log, now).await?;
                positions::arrange(tx, owner, later, position + 1, &log, now).await?;
            }
            shipping_rules::update(tx, owner, id, position, &doc).await?;
            shipping_rules::set_uses(tx, owner, id, &used).await?;
            let event = Event::new("shipping_rule.updated", id, &doc);
            log.append(tx, &event.changed_from(previous(&before, &after)?)).await?;
            Ok(Reply::resource(version_etag(old.version + 1), doc))
        };
        self.context.write(&command, update).await
    }

    /// Deletes a rule. The rules after it move up by one.
    pub async fn delete(&self, command: Command, id: Id<ShippingRule>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            let mut rules = locked(tx, owner).await?;
            let at = found(rules.iter().position(|rule| rule.id == id))?;
            let old = rules.remove(at);
            ensure_current(&precondition, &version_etag(old.version))?;
            shipping_rules::delete(tx, owner, id).await?;
            log.append(tx, &Event::new("shipping_rule.deleted", id, &old.doc)).await?;
            positions::arrange(tx, owner, rules, 1, &log, now).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }

    /// Orders all rules anew.
    pub async fn reorder(&self, command: Command, ids: Vec<Id<ShippingRule>>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, now);
        let reorder = async move |tx: &mut Tx<'_>| {
            let rules = positions::in_order(locked(tx, owner).await?, &ids)?;
            positions::arrange(tx, owner, rules, 1, &log, now).await?;
            Ok(Reply::done(serde_json::json!({"ids": ids}).to_string()))
        };
        self.context.write(&command, reorder).await
    }

    /// Returns what the rules decide for an order or a shipment, and why. Nothing changes.
    pub async fn evaluate(&self, command: Command, input: EvaluationInput) -> Result<Reply> {
        ensure_readable(&command.caller, &input)?;
        let owner = command.caller.owner;
        let at = input.at.unwrap_or_else(|| self.context.now());
        let read = async move |tx: &mut Tx<'_>| {
            let facts = facts_of(tx, owner, &input, at).await?;
            Ok((rule_set(tx, owner).await?, facts))
        };
        let answer = match self.context.db().read(owner, read).await {
            Ok((rules, facts)) => {
                let data: Vec<_> = facts.iter().map(|facts| evaluate(&rules, facts)).collect();
                Ok(Reply::done(format!("{{\"data\":{}}}", json(&data)?)))
            }
            Err(Error::Refused(problem)) => Err(*problem),
            Err(fault) => return Err(fault),
        };
        if command.idempotency.is_none() {
            return answer.map_err(Error::from);
        }
        let repeat = async move |_: &mut Tx<'_>| answer.clone().map_err(Error::from);
        self.context.write(&command, repeat).await
    }
}

/// Refuses a caller who may not read what the rules are evaluated for: the answer shows facts about it.
fn ensure_readable(caller: &Caller, input: &EvaluationInput) -> Result<()> {
    let needed = [(input.order_id.is_some(), "orders"), (input.shipment_id.is_some(), "shipments")];
    for (_, resource) in needed.iter().filter(|(is_needed, _)| *is_needed) {
        if let Some(scope) = Scope::read(resource) {
            caller.require(scope)?;
        }
    }
    Ok(())
}

fn written(
    id: Id<ShippingRule>,
    input: ShippingRuleInput,
    position: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
) -> ShippingRule {
    ShippingRule {
        id,
        name: input.name,
        position,
        is_active: input.is_active,
        conditions: input.conditions,
        action: input.action,
        created_at,
        updated_at,
    }
}
