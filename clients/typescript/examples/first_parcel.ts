// Ships a parcel in the test world and follows its events: a location, a shipment, its rates, the purchase, the label.
//
//   npm install dockside-client centrifuge ws tsx
//   DOCKSIDE=http://127.0.0.1:8080 TOKEN=dk_test_… npx tsx first_parcel.ts
import { type Dockside, type components, createDockside, paginate, unwrap } from "dockside-client";
import { followEvents } from "dockside-client/realtime";
import WebSocket from "ws";

const { DOCKSIDE = "http://127.0.0.1:8080", TOKEN = "" } = process.env;

function address(line: string, postCode: string, city: string, name: string): components["schemas"]["AddressInput"] {
  return { address: { line_1: line, city, post_code: postCode, country_code: "GB" }, contact: { name } };
}

async function ship(dockside: Dockside): Promise<string> {
  const sender = address("1 Quay Street", "BS1 4DJ", "Bristol", "Dispatch");
  const depot = await unwrap(dockside.POST("/locations", { body: { name: "Bristol depot", address: sender } }));
  const locations = { origin: { id: depot.id }, return: { id: depot.id } };
  const configuration = await unwrap(dockside.POST("/location_configurations", { body: { name: "Bristol", locations } }));
  const shipment = await unwrap(
    dockside.POST("/shipments", {
      body: {
        name: "Order 1042",
        addresses: {
          location_configuration_id: configuration.id,
          destination: address("2 High Street", "LS1 4DY", "Leeds", "Ada Byron"),
        },
        packages: [{ geometry: { length: 30, width: 20, height: 10, mass: 1.2 } }],
      },
    }),
  );
  const params = { path: { shipment_id: shipment.id } };
  const { rates } = await unwrap(dockside.POST("/shipments/{shipment_id}/rates", { params }));
  const [cheapest] = rates;
  if (cheapest === undefined) throw new Error("no carrier offers a rate");
  console.log(`cheapest: ${cheapest.carrier_service.handle} for ${cheapest.rate} ${cheapest.currency_code}`);
  const bought = await unwrap(dockside.POST("/shipments/{shipment_id}/purchase", { params, body: { rate: cheapest.id } }));
  console.log(`status: ${bought.status}`);
  return shipment.id;
}

async function showLabel(dockside: Dockside, shipmentId: string): Promise<void> {
  const { data } = await unwrap(dockside.GET("/shipments/{shipment_id}/documents", { params: { path: { shipment_id: shipmentId } } }));
  const token = data[0]?.file_url?.split("/").at(-1) ?? "";
  const label = await unwrap(dockside.GET("/files/{token}", { params: { path: { token } }, parseAs: "blob" }));
  console.log(`label: ${label.size} bytes of ${label.type}`);
}

async function followPurchase(dockside: Dockside, joined: () => void): Promise<void> {
  for await (const event of followEvents(dockside, { resources: ["shipments"], load: joined, websocket: WebSocket })) {
    console.log(`event: ${event.type}`);
    if (event.type === "shipment.purchased") return;
  }
}

const dockside = createDockside({ url: DOCKSIDE, token: TOKEN });
// Events are switched on once for an organisation.
await unwrap(dockside.POST("/events/provision"));
let following: Promise<void> | undefined;
await new Promise<void>((joined) => (following = followPurchase(dockside, joined)));
const shipmentId = await ship(dockside);
await following;
await showLabel(dockside, shipmentId);
for await (const location of paginate(dockside, "/locations", { query: { limit: 100 } })) console.log(`location: ${location.name}`);
