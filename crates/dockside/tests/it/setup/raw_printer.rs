//! A printer on the loopback that takes bytes as they are, and shipments whose labels it prints.

use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::setup::populated_organisation::parcel;
use crate::setup::world::{Reply, World};

/// A printer. What came on each connection is kept until the test asks for it.
pub struct RawPrinter {
    pub address: String,
    jobs: mpsc::UnboundedReceiver<Vec<u8>>,
    serving: tokio::task::JoinHandle<()>,
}

impl RawPrinter {
    pub async fn start() -> Self {
        Self::start_at("127.0.0.1:0").await
    }

    /// Switches the printer on at this address.
    pub async fn start_at(address: &str) -> Self {
        Self::serve(address, None).await
    }

    /// A printer that breaks each connection off after so many bytes.
    pub async fn breaking_after(bytes: usize) -> Self {
        Self::serve("127.0.0.1:0", Some(bytes)).await
    }

    async fn serve(address: &str, cut: Option<usize>) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let (sender, jobs) = mpsc::unbounded_channel();
        let serving = tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut bytes = Vec::new();
                match cut {
                    // Bytes that are not read make the system reset the connection.
                    Some(count) => {
                        bytes.resize(count, 0);
                        socket.read_exact(&mut bytes).await.expect("so many bytes");
                    }
                    None => {
                        socket.read_to_end(&mut bytes).await.expect("all bytes");
                    }
                }
                let _gone = sender.send(bytes);
            }
        });
        Self { address, jobs, serving }
    }

    /// Returns an address at which nothing listens.
    pub async fn off() -> String {
        TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address").to_string()
    }

    /// Returns what came on the next connection.
    pub async fn next(&mut self) -> Vec<u8> {
        self.jobs.recv().await.expect("the printer runs")
    }

    /// Returns what came on a connection that was not asked for yet.
    pub fn already(&mut self) -> Option<Vec<u8>> {
        self.jobs.try_recv().ok()
    }
}

impl Drop for RawPrinter {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Returns the body of a printer that takes ZPL at this address.
pub fn label_printer(address: &str) -> Value {
    json!({"name": "Bench", "kind": "raw", "address": address, "formats": ["zpl"]})
}

impl World {
    /// Makes a printer and gives its id.
    pub async fn printer(&self, body: Value) -> String {
        let reply = self.post("/printers", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Buys a shipment whose label has this format, and gives the label's id and its bytes.
    pub async fn label(&self, format: &str) -> (String, Vec<u8>) {
        self.label_of(parcel(), format).await
    }

    pub async fn label_of(&self, mut body: Value, format: &str) -> (String, Vec<u8>) {
        body["options"] = json!({"label": {"format": format}});
        let path = self.shipment(body).await;
        self.buy(&path).await;
        let documents = self.get(format!("{path}/documents")).await.json();
        let document = &documents["data"][0];
        let url = document["file_url"].as_str().expect("a link");
        let file = url.strip_prefix("https://dockside.example.com").expect("our link");
        let (_, file) = self.request("GET", file).anonymous().open().await;
        let bytes = file.collect().await.expect("a body").to_bytes().to_vec();
        (document["id"].as_str().expect("an id").to_owned(), bytes)
    }

    /// Makes a print job and gives its path.
    pub async fn print_job(&self, printer: &str, document: &str) -> String {
        let reply =
            self.post("/print_jobs", json!({"printer_id": printer, "document_ids": [document]})).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.header("location").to_owned()
    }

    /// Cancels or reprints a job.
    pub async fn print_action(&self, path: &str) -> Reply {
        self.request("POST", path).send().await
    }

    /// Prints everything that is due.
    pub async fn print(&self) {
        self.service.print_jobs.work().await.expect("jobs are printed");
    }

    /// Returns the status of a print job.
    pub async fn print_status(&self, job: &str) -> String {
        self.get(job).await.json()["status"].as_str().expect("a word").to_owned()
    }
}
