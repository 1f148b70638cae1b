//! The bare broadcaster: axum's websockets with small buffers. It sends the given bytes to every connection, as many
//! messages per frame as the product does, and does nothing else.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::routing::{get, post};
use bytes::{Bytes, BytesMut};
use tokio::sync::broadcast::{self, Receiver, Sender};

use crate::harness::outcome::Outcome;

/// Messages in a frame, as in the product.
const FRAME_MESSAGES: usize = 16;
/// Messages that may be queued for a connection.
const WAITING_MAX: usize = 65_536;

/// Serves until the process ends.
pub fn run(listen: SocketAddr) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (sender, _) = broadcast::channel::<Bytes>(WAITING_MAX);
        let app = Router::new()
            .route("/readyz", get(|| async { "ok" }))
            .route("/connection/websocket", get(connect))
            .route("/publish/{count}", post(publish))
            .with_state(Arc::new(sender));
        let listener = tokio::net::TcpListener::bind(listen).await?;
        Ok(axum::serve(listener, app).await?)
    })
}

async fn connect(
    upgrade: WebSocketUpgrade,
    State(sender): State<Arc<Sender<Bytes>>>,
) -> axum::response::Response {
    let receiver = sender.subscribe();
    upgrade.read_buffer_size(2048).write_buffer_size(4096).on_upgrade(move |socket| forward(socket, receiver))
}

/// Sends the body to every connection, the given number of times.
async fn publish(
    Path(count): Path<usize>,
    State(sender): State<Arc<Sender<Bytes>>>,
    body: Bytes,
) -> &'static str {
    for _ in 0..count {
        let _nobody = sender.send(body.clone());
    }
    "ok"
}

async fn forward(mut socket: WebSocket, mut messages: Receiver<Bytes>) {
    while let Ok(first) = messages.recv().await {
        let mut frame = BytesMut::from(&*first);
        for _ in 1..FRAME_MESSAGES {
            let Ok(next) = messages.try_recv() else { break };
            frame.extend_from_slice(b"\n");
            frame.extend_from_slice(&next);
        }
        let Ok(text) = Utf8Bytes::try_from(frame.freeze()) else { return };
        if socket.send(Message::Text(text)).await.is_err() {
            return;
        }
    }
}
