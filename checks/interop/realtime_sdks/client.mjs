// A client by the official JavaScript SDK: `node client.mjs CONFIG`. It does what the lines on its standard input say, and
// tells on standard output what the SDK told it, a line of JSON each. client.py is the same by the Python SDK.
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

// The packages lie where ./test installed them, not beside this file.
const installed = createRequire(join(process.cwd(), "package.json"));
const config = JSON.parse(process.argv[2]);
const isProtobuf = config.codec === "protobuf";
const { Centrifuge, UnauthorizedError } = installed(isProtobuf ? "centrifuge/build/protobuf" : "centrifuge");

const tell = (event, about) => process.stdout.write(`${JSON.stringify({ event, ...about })}\n`);
// In Protobuf the SDK leaves some offsets as it read them.
const plain = (number) => number?.toNumber?.() ?? number;
const text = (data) => (isProtobuf ? new TextDecoder().decode(data) : JSON.stringify(data));

// A token of the API. Where it is refused there will be none later either, and the SDK must stop.
const getToken = async (kind, path) => {
  const headers = { Authorization: `Bearer ${config.tokens[kind]}` };
  const answer = await fetch(`${config.api}${path}`, { headers });
  tell("token", { kind, status: answer.status });
  if (answer.status === 401 || answer.status === 403) throw new UnauthorizedError(String(answer.status));
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).token;
};
const channelToken = ({ channel }) =>
  getToken("subscription", `/events/subscription_token?channel=${encodeURIComponent(channel)}`);

// The SDK sends commands beside a one-way stream with `fetch` and does not wait for the answer. Where the line is cut at that
// moment the promise fails unhandled: a page of a browser goes on, and Node would end. The SDK notices by its stream.
process.on("unhandledRejection", (error) => {
  if (error?.message !== "fetch failed") throw error;
  tell("error", { type: "fetch", message: String(error.cause?.message ?? error.message) });
});

const [web, http] = [`ws://${config.address}`, `http://${config.address}`];
const endpoint = {
  websocket: { transport: "websocket", endpoint: `${web}/connection/websocket` },
  http_stream: { transport: "http_stream", endpoint: `${http}/connection/http_stream` },
  sse: { transport: "sse", endpoint: `${http}/connection/sse` },
}[config.transport];
const client = new Centrifuge([endpoint], {
  websocket: installed("ws"),
  eventsource: installed("eventsource").EventSource,
  emulationEndpoint: `${http}/emulation`,
  getToken: () => getToken("connection", "/events/connection_token"),
  minReconnectDelay: 50,
  maxReconnectDelay: 200,
});

const subscribed = (context) => {
  const { channel, wasRecovering, recovered, streamPosition } = context;
  const position = streamPosition && { ...streamPosition, offset: plain(streamPosition.offset) };
  tell("subscribed", { channel, was_recovering: wasRecovering, recovered, position });
};
const publication = ({ channel, data, offset }) =>
  tell("publication", { channel, offset: plain(offset), text: text(data) });
const ended = (event) => (context) => tell(event, { code: context.code, reason: context.reason, channel: context.channel });

client.on("connected", (context) => tell("connected", { client: context.client, transport: context.transport }));
for (const event of ["connecting", "disconnected", "subscribing", "unsubscribed"]) client.on(event, ended(event));
client.on("error", ({ type, error }) => tell("error", { type, code: error.code, message: String(error.message) }));
client.on("subscribed", subscribed);
client.on("publication", publication);

const subscribe = ({ channel, has_token: hasToken, states }) => {
  const options = { minResubscribeDelay: 50, maxResubscribeDelay: 200 };
  if (hasToken) options.getToken = channelToken;
  if (states) {
    options.getState = async () => {
      const position = states.length > 1 ? states.shift() : states[0];
      tell("state", { channel, position });
      return position;
    };
  }
  const subscription = client.newSubscription(channel, options);
  for (const event of ["subscribing", "unsubscribed"]) subscription.on(event, ended(event));
  subscription.on("error", ({ type, error }) => tell("error", { channel, type, code: error.code, message: String(error.message) }));
  subscription.on("subscribed", subscribed);
  subscription.on("publication", publication);
  subscription.subscribe();
};

const history = async ({ channel, limit, since, reverse }) => {
  const { publications, offset, epoch } = await client.history(channel, { limit, since, reverse });
  const told = publications.map(({ offset, data }) => ({ offset: plain(offset), text: text(data) }));
  return { offset: plain(offset), epoch, publications: told };
};
const acts = {
  connect: () => client.connect(),
  disconnect: () => client.disconnect(),
  subscribe,
  unsubscribe: ({ channel }) => client.getSubscription(channel).unsubscribe(),
  history,
  presence: async ({ channel }) => (await client.presence(channel)).clients,
  presence_stats: async ({ channel }) => {
    const { numClients, numUsers } = await client.presenceStats(channel);
    return { num_clients: numClients, num_users: numUsers };
  },
  publish: ({ channel }) => client.publish(channel, isProtobuf ? new TextEncoder().encode("{}") : {}),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const command = JSON.parse(line);
  try {
    tell("answer", { id: command.id, result: (await acts[command.act](command)) ?? null });
  } catch (error) {
    tell("answer", { id: command.id, error: { code: error.code, message: String(error.message) } });
  }
}).on("close", () => process.exit(0));
