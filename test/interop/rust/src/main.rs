//! The official client for Rust: interop <url> <binding> [<token>]. It answers `{operation, args}` by `{value}` or `{error}`, a line each.
use std::io::{stdin, stdout, Write};
use std::sync::Arc;

use a2a_client::agent_card::AgentCardResolver;
use a2a_client::auth::AuthInterceptor;
use a2a_client::{A2AClient, A2AClientFactory, BoxStream, Transport};
use a2a_grpc::GrpcTransportFactory;
use futures::StreamExt;
use serde_json::{from_value, json, to_value, Map, Value};

type Client = A2AClient<Box<dyn Transport>>;
type Failure = Box<dyn std::error::Error>;
type Events = BoxStream<'static, Result<a2a::StreamResponse, a2a::A2AError>>;

struct Driver {
    url: String,
    binding: String,
    token: Option<String>,
}

impl Driver {
    async fn client(&self) -> Result<Client, Failure> {
        let card = AgentCardResolver::new(None).resolve(&self.url).await?;
        let interfaces = card.supported_interfaces.iter();
        let interface = interfaces
            .filter(|one| one.protocol_binding == self.binding)
            .take(1)
            .cloned()
            .collect();
        let mut factory = A2AClientFactory::builder().register(Arc::new(GrpcTransportFactory::new()));
        if let Some(token) = &self.token {
            factory = factory.with_interceptor(Arc::new(AuthInterceptor::bearer(token)));
        }
        let card = a2a::AgentCard {
            supported_interfaces: interface,
            ..card
        };
        Ok(factory.build().create_from_card(&card).await?)
    }

    async fn answer(&self, operation: &str, args: &[Value]) -> Result<Value, Failure> {
        if operation == "card" {
            let card = AgentCardResolver::new(None).resolve(&self.url).await?;
            let skills: Vec<&String> = card.skills.iter().map(|skill| &skill.id).collect();
            return Ok(json!({ "name": card.name, "skills": skills }));
        }
        let client = self.client().await?;
        let given = |at: usize| args.get(at).cloned().unwrap_or(Value::Null);
        let (by_id, of_task) = (json!({ "id": given(0) }), json!({ "taskId": given(0), "id": given(1) }));
        Ok(match operation {
            "send" => {
                let answer = to_value(client.send_message(&from_value(request(&given(0)))?).await?)?;
                task(&answer["task"])
            }
            "stream" => seen(client.send_streaming_message(&from_value(request(&given(0)))?).await?).await?,
            "subscribe" => seen(client.subscribe_to_task(&from_value(by_id)?).await?).await?,
            "get" => task(&to_value(client.get_task(&from_value(by_id)?).await?)?),
            "cancel" => task(&to_value(client.cancel_task(&from_value(by_id)?).await?)?),
            "list" => {
                let found = client
                    .list_tasks(&from_value(json!({ "contextId": given(0) }))?)
                    .await?;
                to_value(found.tasks.iter().map(|one| &one.id).collect::<Vec<_>>())?
            }
            "setWebhook" => webhook(&to_value(client.create_push_config(&from_value(given(0))?).await?)?),
            "getWebhook" => webhook(&to_value(client.get_push_config(&from_value(of_task)?).await?)?),
            "listWebhooks" => {
                let found = client
                    .list_push_configs(&from_value(json!({ "taskId": given(0) }))?)
                    .await?;
                found
                    .configs
                    .iter()
                    .map(|one| Ok(webhook(&to_value(one)?)))
                    .collect::<Result<Value, Failure>>()?
            }
            "deleteWebhook" => {
                client.delete_push_config(&from_value(of_task)?).await?;
                Value::Null
            }
            other => return Err(format!("there is no operation {other}").into()),
        })
    }
}

fn request(message: &Value) -> Value {
    let parts: Vec<Value> = message["parts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|part| {
            renamed(
                part,
                &[
                    ("text", "text"),
                    ("raw", "raw"),
                    ("data", "data"),
                    ("name", "filename"),
                    ("mediaType", "mediaType"),
                ],
            )
        })
        .collect();
    let mut sent = renamed(message, &[("taskId", "taskId"), ("contextId", "contextId")]);
    sent["messageId"] = json!(a2a::new_message_id());
    sent["role"] = json!("ROLE_USER");
    sent["parts"] = json!(parts);
    if let Some(skill) = message.get("skill") {
        sent["metadata"] = json!({ "skillId": skill });
    }
    let blocking = message["blocking"].as_bool().unwrap_or(true);
    json!({ "message": sent, "configuration": { "returnImmediately": !blocking } })
}

async fn seen(mut events: Events) -> Result<Value, Failure> {
    let mut found = Vec::new();
    while let Some(event) = events.next().await {
        let event = to_value(event?)?;
        if let Some(whole) = event.get("task") {
            found.push(json!({ "taskId": whole["id"], "state": whole["status"]["state"] }));
        } else if let Some(update) = event.get("statusUpdate") {
            found.push(json!({ "taskId": update["taskId"], "state": update["status"]["state"] }));
        } else if let Some(update) = event.get("artifactUpdate") {
            found.push(json!({ "taskId": update["taskId"], "parts": parts(&update["artifact"]) }));
        }
    }
    Ok(json!(found))
}

fn task(whole: &Value) -> Value {
    let artifacts = whole["artifacts"].as_array().into_iter().flatten();
    let all: Vec<Value> = artifacts.flat_map(parts).collect();
    json!({ "id": whole["id"], "contextId": whole["contextId"], "state": whole["status"]["state"], "parts": all })
}

fn parts(artifact: &Value) -> Vec<Value> {
    artifact["parts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|part| {
            renamed(
                part,
                &[
                    ("text", "text"),
                    ("raw", "raw"),
                    ("data", "data"),
                    ("filename", "name"),
                    ("mediaType", "mediaType"),
                ],
            )
        })
        .collect()
}

fn webhook(config: &Value) -> Value {
    renamed(config, &[("taskId", "taskId"), ("id", "id"), ("url", "url")])
}

/** The members that are there, by other names. */
fn renamed(value: &Value, names: &[(&str, &str)]) -> Value {
    let there = names
        .iter()
        .filter_map(|(from, to)| Some((to.to_string(), value.get(from)?.clone())));
    Value::Object(there.collect::<Map<String, Value>>())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let (url, binding) = (args.next().ok_or("no url")?, args.next().ok_or("no binding")?);
    let driver = Driver {
        url,
        binding,
        token: args.next(),
    };
    for line in stdin().lines() {
        let call: Value = serde_json::from_str(&line?)?;
        let args = call["args"].as_array().cloned().unwrap_or_default();
        let answer = match driver.answer(call["operation"].as_str().unwrap_or(""), &args).await {
            Ok(value) => json!({ "value": value }),
            Err(error) => json!({ "error": error.to_string() }),
        };
        println!("{answer}");
        stdout().flush()?;
    }
    Ok(())
}
