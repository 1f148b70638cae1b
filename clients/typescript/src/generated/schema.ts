// Generated from openapi.json by clients/generate.sh: change that, and not this file.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the documentation
         * @description Browsers are sent to the console at `/console`; programs get the addresses of the documentation as JSON.
         */
        get: operations["get_index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List access tokens
         * @description Newest first; those of the caller's own world, without their secrets.
         *
         *     Scope: `access_tokens:read`.
         */
        get: operations["list_access_tokens"];
        put?: never;
        /**
         * Create an access token
         * @description The secret is in this answer, and never shown again. A token can't hand out scopes that it lacks.
         *
         *     Scope: `access_tokens:write`.
         */
        post: operations["create_access_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access_tokens/{access_token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an access token
         * @description Scope: `access_tokens:read`.
         */
        get: operations["get_access_token"];
        put?: never;
        post?: never;
        /**
         * Revoke an access token
         * @description At once on this node, within two seconds on others. With it go the tokens that it made, and those that they made; `Dockside-Revoked` names all of them. You can revoke tokens with no more scopes than yours, your own included; another one is refused with 403.
         *
         *     Scope: `access_tokens:write`.
         */
        delete: operations["delete_access_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/allocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List allocations
         * @description Newest first.
         *
         *     Scope: `allocations:read`.
         */
        get: operations["list_allocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/allocations/orders/{order_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the allocations of an order
         * @description Oldest first, all of them. The `ETag` is that of the whole list: PATCH and DELETE of the same path take it in `If-Match`.
         *
         *     Scope: `allocations:read`.
         */
        get: operations["list_order_allocations"];
        put?: never;
        /**
         * Allocate items of an order
         * @description All or nothing. An entry with several items becomes one allocation each. An allocation may exceed the stock on hand, which is a backorder; it may not exceed the reservation.
         *
         *     Scope: `allocations:write`.
         */
        post: operations["create_order_allocations"];
        /**
         * Take all allocations of an order back
         * @description The reservation's allocated quantities become zero, and stock that completed allocations had taken goes back on hand. Shipments of the order that are not bought are deleted. Those that are bought no longer belong to it, and it gets the blocking exception `shipped_unallocated`.
         *
         *     Scope: `allocations:write`.
         */
        delete: operations["delete_order_allocations"];
        options?: never;
        head?: never;
        /**
         * Change or complete allocations of an order
         * @description All or nothing. `completed: true` (or `completed_at`) completes an allocation and takes its stock; a completed one can't change.
         *
         *     Scope: `allocations:write`.
         */
        patch: operations["update_order_allocations"];
        trace?: never;
    };
    "/allocations/orders/{order_id}/pack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Propose packages for an order
         * @description Proposes packages for the open allocations of the order, for each location: which units go into which package and where each one lies, with its reasons. Only package types that are active and available at the location are used. Nothing is changed. The token also needs the scope `package_types:read`.
         *
         *     Scope: `allocations:read`.
         */
        post: operations["pack_order_allocations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/allocations/orders/{order_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan the allocation of an order
         * @description Proposes where to send the rest of the order from, best first: fewest locations, then the distance to the destination, then the balance of stock; with its reasons and what it rejected. Nothing is changed, unless `apply=true` makes the best proposal's allocations.
         *
         *     Scope: `allocations:write`.
         */
        post: operations["plan_order_allocations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List batches
         * @description Newest first.
         *
         *     Scope: `batches:read`.
         */
        get: operations["list_batches"];
        put?: never;
        /**
         * Create a batch
         * @description Everything is optional. Its `service` is that of all its shipments; where it has none, each has its own.
         *
         *     Scope: `batches:write`.
         */
        post: operations["create_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a batch
         * @description With its first 20 shipments, in short, and up to 100 of their errors. The counts are of all of them.
         *
         *     Scope: `batches:read`.
         */
        get: operations["get_batch"];
        put?: never;
        post?: never;
        /**
         * Delete a batch
         * @description While it is open. Its shipments stay.
         *
         *     Scope: `batches:write`.
         */
        delete: operations["delete_batch"];
        options?: never;
        head?: never;
        /**
         * Update a batch
         * @description Merges the body into the batch (RFC 7396), until it is purchased. Shipments that it names are added, and none is removed.
         *
         *     Scope: `batches:write`.
         */
        patch: operations["update_batch"];
        trace?: never;
    };
    "/batches/{batch_id}/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a batch's labels
         * @description First the file with all of them (`type` `labels`), once it is made, then of each shipment, in the order of the batch, its labels and its customs papers. Before the batch is purchased, only the labels of shipments that are purchased already. The links end after an hour.
         *
         *     Scope: `batches:read`.
         */
        get: operations["list_batch_labels"];
        put?: never;
        /**
         * Create a batch's labels
         * @description Makes each label in `format`, or in the batch's `options.label_format` where none is given, and one file with all of them: pages of a PDF, ZPL one after the other, or PNGs in a ZIP. In a PDF and a ZIP the customs papers of a shipment follow its labels; a label printer can't print them, so ZPL has labels only, and the papers are in the list. What Dockside draws is drawn anew in another format; where a carrier's own label can't be converted, 409 names the shipments. Answers 201 with the documents once they are there, and 202 where that takes longer than 5 s, or than `Prefer: wait=<seconds>` says; then GET the `Location`, or wait for `batch.labels_created`. Asked again, the documents are the same. What was voided is left out.
         *
         *     Scope: `batches:write`.
         */
        post: operations["create_batch_labels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batch_id}/manifests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a batch's manifests
         * @description All manifests that list a shipment of the batch: none before it is manifested. To read them manifests nothing.
         *
         *     Scope: `manifests:read`.
         */
        get: operations["list_batch_manifests"];
        put?: never;
        /**
         * Manifest a batch
         * @description Hands a purchased batch over to its carriers: one manifest for each carrier account, origin and day. Asked again it gives the same manifests, with 200. Answers 202 where the carrier takes longer, as `POST /manifests` does.
         *
         *     Scope: `manifests:write`.
         */
        post: operations["create_batch_manifests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batch_id}/packing_slips": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a batch's packing slips
         * @description One PDF with the slips of its shipments, bought or not, in the order of the batch. Voided shipments, and those that name nothing that they contain, have none. A batch of more than 500 shipments has parts of 500: ask for them one by one with `part`.
         *
         *     Scope: `batches:write`.
         */
        post: operations["create_batch_packing_slips"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batch_id}/papers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a file with a batch's papers
         * @description One PDF with the papers of its bought shipments, in the order of the batch: of each the labels, the packing slip and the customs papers, as `POST /shipments/{shipment_id}/papers` makes them. A batch of more than 500 shipments has parts of 500: ask for them one by one with `part`.
         *
         *     Scope: `batches:write`.
         */
        post: operations["create_batch_papers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batch_id}/pick_lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a batch's pick lists
         * @description What to collect for its shipments, bought or not: one PDF for each location that they leave from, with the bin, SKU, name and quantity of each item and the orders that it goes to, by bin and then by SKU. Numbers in bins count by their value: `A-2` comes before `A-10`. Shipments whose origin was given as an address are on a list without bins. A batch of more than 500 shipments has parts of 500: ask for them one by one with `part`.
         *
         *     Scope: `batches:write`.
         */
        post: operations["create_batch_pick_lists"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batch_id}/purchase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Purchase a batch
         * @description Buys what is not bought of it, each shipment once, however often it is asked for. Answers 200 once everything has come to an end (see `status` and `errors`), and 202 where carriers take longer than 5 s, or than `Prefer: wait=<seconds>` says (30 at most); `Prefer: respond-async` does not wait. Then read the batch again, or wait for `batch.purchased` or `batch.purchase_failed`. While it is purchased, asking again joins the first request.
         *
         *     Scope: `batches:purchase`.
         */
        post: operations["purchase_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batch_id}/shipments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a batch's shipments
         * @description In the order in which they were created.
         *
         *     Scope: `batches:read`.
         */
        get: operations["list_batch_shipments"];
        put?: never;
        post?: never;
        /**
         * Remove shipments from a batch
         * @description All of them or none. They stay, and are in no batch. What is purchased can't be removed. A batch of which the rest is purchased becomes `purchased`.
         *
         *     Scope: `batches:write`.
         */
        delete: operations["remove_batch_shipments"];
        options?: never;
        head?: never;
        /**
         * Add shipments to a batch
         * @description All of them or none. Those that are in it already stay.
         *
         *     Scope: `batches:write`.
         */
        patch: operations["add_batch_shipments"];
        trace?: never;
    };
    "/branding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the branding
         * @description What packing slips and pick lists show of the organisation, in the token's world. All fields are null where nothing was set.
         *
         *     Scope: `organisation:read`.
         */
        get: operations["get_branding"];
        /**
         * Set the branding
         * @description Replaces all of it: a field that is missing becomes null. Papers that are made from now on show it; `organisation.updated` tells of it.
         *
         *     Scope: `organisation:write`.
         */
        put: operations["set_branding"];
        post?: never;
        /**
         * Delete the branding
         * @description Sets every field to null. Papers that are made from now on are plain.
         *
         *     Scope: `organisation:write`.
         */
        delete: operations["delete_branding"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/carrier_accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List carrier accounts
         * @description Newest first. Credentials are never shown.
         *
         *     Scope: `carriers:read`.
         */
        get: operations["list_carrier_accounts"];
        put?: never;
        /**
         * Create a carrier account
         * @description Credentials are encrypted before they are stored, and never shown again.
         *
         *     Scope: `carriers:write`.
         */
        post: operations["create_carrier_account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/carrier_accounts/{carrier_account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a carrier account
         * @description Scope: `carriers:read`.
         */
        get: operations["get_carrier_account"];
        put?: never;
        post?: never;
        /**
         * Delete a carrier account
         * @description Refused while something is bought, tracked or taken back with it: disable it then.
         *
         *     Scope: `carriers:write`.
         */
        delete: operations["delete_carrier_account"];
        options?: never;
        head?: never;
        /**
         * Update a carrier account
         * @description Merges the body into the account (RFC 7396), except that `credentials` replace the ones it had, all of them.
         *
         *     Scope: `carriers:write`.
         */
        patch: operations["update_carrier_account"];
        trace?: never;
    };
    "/carrier_accounts/{carrier_account_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a carrier account
         * @description Asks the carrier for the price of a parcel of one kilogram from your oldest location to itself, which costs nothing. A disabled account is tested, too.
         *
         *     Scope: `carriers:write`.
         */
        post: operations["test_carrier_account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/carrier_accounts/{carrier_account_id}/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a carrier's message
         * @description For EasyPost, not for you: put this address and a secret into its webhooks, and the secret into the account's credentials as `webhook_secret`. A message is believed by its `X-Hmac-Signature`, and taken once.
         */
        post: operations["create_carrier_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/carriers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List carriers
         * @description By handle. The test world has the sandbox carrier alone: nothing there costs money.
         *
         *     Scope: `carriers:read`.
         */
        get: operations["list_carriers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/carriers/{carrier_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a carrier
         * @description Scope: `carriers:read`.
         */
        get: operations["get_carrier"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/carriers/{carrier_id}/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a carrier's services
         * @description By handle. Those of `own` are what the rate tables of your accounts name.
         *
         *     Scope: `carriers:read`.
         */
        get: operations["list_carrier_services"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the documentation */
        get: operations["get_docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what each problem means */
        get: operations["get_docs_errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/guide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the guide */
        get: operations["get_docs_guide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/guide/labels.png": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See the labels that the guide shows */
        get: operations["get_docs_labels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/guide/pictures/{picture}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See a picture of the console in the guide */
        get: operations["get_docs_picture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/guide/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a page of the guide */
        get: operations["get_docs_guide_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/script.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the documentation's script */
        get: operations["get_docs_script"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/search.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the script of the search */
        get: operations["get_docs_search_script"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/search.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the index of the search
         * @description Every section of the guide, operation, field and problem, with where it is explained.
         */
        get: operations["get_docs_search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/style.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the documentation's style */
        get: operations["get_docs_style"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description What happened in the organisation, in the order of commits: the events of every resource that your token may read. Beside `events:read` it needs the scope of that resource, such as `orders:read` for `order.created`; the others are left out. Without `after` the newest comes first. To follow the log, ask with `after` and the last `sequence` you have: the oldest comes first, each event comes exactly once, and none is missing. Events are kept for 30 days, unless the operator configured otherwise; where those after `after` are gone, the list begins with the oldest that is left, and its `sequence` tells.
         *
         *     Scope: `events:read`.
         */
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/connection_token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a token to connect with
         * @description A client connects to `/connection/websocket` with it, speaks Centrifugo's protocol, and is subscribed to a channel for each resource that the access token may read. It lives 30 minutes, unless the operator configured otherwise, and no longer than the access token; clients fetch a new one by themselves. The organisation must be provisioned.
         *
         *     Scope: `events:read`.
         */
        get: operations["get_connection_token"];
        put?: never;
        /**
         * Create a token to connect with
         * @description A client connects to `/connection/websocket` with it, speaks Centrifugo's protocol, and is subscribed to a channel for each resource that the access token may read. It lives 30 minutes, unless the operator configured otherwise, and no longer than the access token; clients fetch a new one by themselves. The organisation must be provisioned.
         *
         *     Scope: `events:read`.
         */
        post: operations["create_connection_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/deprovision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deprovision events by GET
         * @description The same as POST. It acts although it is a GET, so a HEAD is refused; use POST where you can.
         *
         *     Scope: `events:write`.
         */
        get: operations["deprovision_events_by_get"];
        put?: never;
        /**
         * Deprovision events
         * @description Deletes the organisation's webhook endpoints and disconnects its streams. Doing it again changes nothing. The log itself is kept.
         *
         *     Scope: `events:write`.
         */
        post: operations["deprovision_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/provision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Provision events by GET
         * @description The same as POST. It acts although it is a GET, so a HEAD is refused; use POST where you can.
         *
         *     Scope: `events:write`.
         */
        get: operations["provision_events_by_get"];
        put?: never;
        /**
         * Provision events
         * @description Lets the organisation receive its events by streaming or by webhooks. Doing it again changes nothing. The log itself is always kept. The live and the test world are provisioned apart.
         *
         *     Scope: `events:write`.
         */
        post: operations["provision_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/subscription_token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a token to join a channel with
         * @description A client joins one more channel with it: `<resource>:<organisation_id>#<user_id>`. It lives 15 minutes, unless the operator configured otherwise, and no longer than the access token. The channel is named in the body or in the query; where both name one, it must be the same. Channels of others, of unknown resources and of what the access token may not read are 403.
         *
         *     Scope: `events:read`.
         */
        get: operations["get_subscription_token"];
        put?: never;
        /**
         * Create a token to join a channel with
         * @description A client joins one more channel with it: `<resource>:<organisation_id>#<user_id>`. It lives 15 minutes, unless the operator configured otherwise, and no longer than the access token. The channel is named in the body or in the query; where both name one, it must be the same. Channels of others, of unknown resources and of what the access token may not read are 403.
         *
         *     Scope: `events:read`.
         */
        post: operations["create_subscription_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event
         * @description An event never changes. Your token must also have the scope to read its resource; without it, the event is not found. It can be read as soon as it has its `sequence`: at most a moment after the change it tells of.
         *
         *     Scope: `events:read`.
         */
        get: operations["get_event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/events.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export events as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `events:read`.
         */
        get: operations["export_events_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/events.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export events as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `events:read`.
         */
        get: operations["export_events_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/inventory_items.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export inventory items as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `inventory:read`.
         */
        get: operations["export_inventory_items_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/inventory_items.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export inventory items as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `inventory:read`.
         */
        get: operations["export_inventory_items_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/inventory_levels.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export inventory levels as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `inventory:read`.
         */
        get: operations["export_inventory_levels_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/inventory_levels.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export inventory levels as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `inventory:read`.
         */
        get: operations["export_inventory_levels_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/level_history.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the history of levels as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `inventory:read`.
         */
        get: operations["export_level_history_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/level_history.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the history of levels as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `inventory:read`.
         */
        get: operations["export_level_history_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/locations.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export locations as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `locations:read`.
         */
        get: operations["export_locations_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/locations.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export locations as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `locations:read`.
         */
        get: operations["export_locations_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/manifests.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export manifests as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `manifests:read`.
         */
        get: operations["export_manifests_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/manifests.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export manifests as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `manifests:read`.
         */
        get: operations["export_manifests_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/order_lines.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export order lines as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `orders:read`.
         */
        get: operations["export_order_lines_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/order_lines.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export order lines as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `orders:read`.
         */
        get: operations["export_order_lines_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/orders.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export orders as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `orders:read`.
         */
        get: operations["export_orders_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/orders.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export orders as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `orders:read`.
         */
        get: operations["export_orders_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/package_types.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export package types as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `package_types:read`.
         */
        get: operations["export_package_types_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/package_types.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export package types as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `package_types:read`.
         */
        get: operations["export_package_types_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/shipments.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export shipments as CSV
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `shipments:read`.
         */
        get: operations["export_shipments_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports/shipments.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export shipments as lines of JSON
         * @description Everything that passes the filters, the oldest first, as it was at one moment: what is written meanwhile is not in it. The answer is sent while it is read. If the server can't finish it, the connection is closed before the last chunk: your client then reports an incomplete answer, and the file must not be used. The guide has the columns (exports.md).
         *
         *     Scope: `shipments:read`.
         */
        get: operations["export_shipments_ndjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/files/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description The address that a document has in `file_url`. It needs no access token and ends after an hour; read the document again for a new one.
         */
        get: operations["get_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell whether the process lives */
        get: operations["check_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List imports
         * @description Newest first. Imports that ended are deleted after a year, or what the operator set in `leftover_days`; what they made stays.
         *
         *     Scope: `imports:read`.
         */
        get: operations["list_imports"];
        put?: never;
        /**
         * Start an import
         * @description Turns the rows of a file into resources in the background. Send JSON, and then the file with `PUT /imports/{import_id}/content`; or send the file itself as the body, with `type` and other options in the query: any media type but `application/json` says so. A file may have 1 GiB. CSV may be UTF-8, UTF-16 or Windows-1252, separated by commas, semicolons or tabs, with a header; columns are recognised by their names, also by those of WooCommerce, Shopify, Magento and Amazon. Rows of one order follow each other with the same reference. Each row has a key (`reference`, `sku`, `name`, `handle` or `id`), so the same file sent twice makes nothing twice. The token also needs the scope to write what the rows become, such as `orders:write`.
         *
         *     Scope: `imports:write`.
         */
        post: operations["create_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/templates/inventory_items.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template for inventory items
         * @description A table with the columns of the type and an example row. Columns may be left out, and stand in any order.
         *
         *     Scope: `imports:read`.
         */
        get: operations["get_inventory_items_template"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/templates/inventory_levels.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template for inventory levels
         * @description A table with the columns of the type and an example row. Columns may be left out, and stand in any order.
         *
         *     Scope: `imports:read`.
         */
        get: operations["get_inventory_levels_template"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/templates/locations.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template for locations
         * @description A table with the columns of the type and an example row. Columns may be left out, and stand in any order.
         *
         *     Scope: `imports:read`.
         */
        get: operations["get_locations_template"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/templates/orders.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template for orders
         * @description A table with the columns of the type and an example row. Columns may be left out, and stand in any order.
         *
         *     Scope: `imports:read`.
         */
        get: operations["get_orders_template"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/templates/package_types.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template for package types
         * @description A table with the columns of the type and an example row. Columns may be left out, and stand in any order.
         *
         *     Scope: `imports:read`.
         */
        get: operations["get_package_types_template"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/templates/shipments.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template for shipments
         * @description A table with the columns of the type and an example row. Columns may be left out, and stand in any order.
         *
         *     Scope: `imports:read`.
         */
        get: operations["get_shipments_template"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/{import_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an import
         * @description Shows how far it is, how its file is read, and what its columns are taken for. Events tell of its progress at most four times a second.
         *
         *     Scope: `imports:read`.
         */
        get: operations["get_import"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/{import_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an import
         * @description Rows that were not read yet are not read. What was written stays. Repeating it changes nothing.
         *
         *     Scope: `imports:write`.
         */
        post: operations["cancel_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/{import_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send the file of an import
         * @description The body is the file, up to 1 GiB, of any media type. Work on it begins at once. A file can't be replaced.
         *
         *     Scope: `imports:write`.
         */
        put: operations["set_import_content"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/{import_id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an import's errors
         * @description Why rows were refused, in the order of the file.
         *
         *     Scope: `imports:read`.
         */
        get: operations["list_import_errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/imports/{import_id}/errors.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an import's refused rows
         * @description The refused rows as they are in the file, with its header and one column more that says what is wrong. Correct it in a spreadsheet, and send it as a new import.
         *
         *     Scope: `imports:read`.
         */
        get: operations["get_import_errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Audit the stock
         * @description Recomputes levels, allocated quantities and the `fulfilment` of orders from the rows and the history, and shows every difference. There is none.
         *
         *     Scope: `inventory:read`.
         */
        get: operations["audit_inventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory_items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inventory items
         * @description Newest first. An item is listed if it matches all filters that the request has.
         *
         *     Scope: `inventory:read`.
         */
        get: operations["list_inventory_items"];
        put?: never;
        /**
         * Create an inventory item
         * @description Orders with lines that wait for this SKU get the item: up to 100 at once, the others within seconds.
         *
         *     Scope: `inventory:write`.
         */
        post: operations["create_inventory_item"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory_items/{inventory_item_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an inventory item
         * @description Scope: `inventory:read`.
         */
        get: operations["get_inventory_item"];
        put?: never;
        post?: never;
        /**
         * Delete an inventory item
         * @description An item that an order wants, or of which some is on hand, can't be deleted.
         *
         *     Scope: `inventory:write`.
         */
        delete: operations["delete_inventory_item"];
        options?: never;
        head?: never;
        /**
         * Update an inventory item
         * @description Scope: `inventory:write`.
         */
        patch: operations["update_inventory_item"];
        trace?: never;
    };
    "/inventory_items/{inventory_item_id}/levels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the levels of an item
         * @description One for each location that has a level of it.
         *
         *     Scope: `inventory:read`.
         */
        get: operations["list_inventory_levels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory_items/{inventory_item_id}/levels/{location_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a level
         * @description Scope: `inventory:read`.
         */
        get: operations["get_inventory_level"];
        /**
         * Set a level
         * @description Sets what is on hand, as counted. From then on the item is tracked at the location. `bin` and `reorder_point` stay as they are, unless the body names them.
         *
         *     Scope: `inventory:write`.
         */
        put: operations["set_inventory_level"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a level
         * @description Merges the body into a level that exists (RFC 7396): sets the bin or the reorder point without a count. The history has an entry only if `on_hand` changes.
         *
         *     Scope: `inventory:write`.
         */
        patch: operations["update_inventory_level"];
        trace?: never;
    };
    "/inventory_items/{inventory_item_id}/levels/{location_id}/adjust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adjust a level
         * @description Adds what came, or takes what went.
         *
         *     Scope: `inventory:write`.
         */
        post: operations["adjust_inventory_level"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inventory_items/{inventory_item_id}/levels/{location_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of a level
         * @description Newest first. Their sum is what is on hand.
         *
         *     Scope: `inventory:read`.
         */
        get: operations["list_inventory_changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/location_configurations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List location configurations
         * @description Newest first. The embedded locations omit their addresses unless `include_fields=address` asks for them.
         *
         *     Scope: `location_configurations:read`.
         */
        get: operations["list_location_configurations"];
        put?: never;
        /**
         * Create a location configuration
         * @description Origin and return may be the same location.
         *
         *     Scope: `location_configurations:write`.
         */
        post: operations["create_location_configuration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/location_configurations/{location_configuration_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a location configuration
         * @description Scope: `location_configurations:read`.
         */
        get: operations["get_location_configuration"];
        put?: never;
        post?: never;
        /**
         * Delete a location configuration
         * @description Its locations and existing shipments stay.
         *
         *     Scope: `location_configurations:write`.
         */
        delete: operations["delete_location_configuration"];
        options?: never;
        head?: never;
        /**
         * Update a location configuration
         * @description Merges the body into the configuration (RFC 7396). Existing shipments keep the details they were created with.
         *
         *     Scope: `location_configurations:write`.
         */
        patch: operations["update_location_configuration"];
        trace?: never;
    };
    "/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List locations
         * @description Newest first.
         *
         *     Scope: `locations:read`.
         */
        get: operations["list_locations"];
        put?: never;
        /**
         * Create a location
         * @description Scope: `locations:write`.
         */
        post: operations["create_location"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/locations/{location_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a location
         * @description Scope: `locations:read`.
         */
        get: operations["get_location"];
        put?: never;
        post?: never;
        /**
         * Delete a location
         * @description A location that a location configuration uses can't be deleted: reassign the configurations first. Nor can one with open allocations or stock on hand, nor one that a package type names.
         *
         *     Scope: `locations:write`.
         */
        delete: operations["delete_location"];
        options?: never;
        head?: never;
        /**
         * Update a location
         * @description Merges the body into the location (RFC 7396): nested partial updates are allowed. Existing shipments keep the details they were created with.
         *
         *     Scope: `locations:write`.
         */
        patch: operations["update_location"];
        trace?: never;
    };
    "/manifests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List manifests
         * @description Newest first. To read manifests never makes any.
         *
         *     Scope: `manifests:read`.
         */
        get: operations["list_manifests"];
        put?: never;
        /**
         * Close out a location's day
         * @description Manifests all that was bought, leaves from the location and is in no manifest yet, across batches and single shipments: of the `date`, or, where none is given, of all days up to today. One manifest for each carrier account, version of the location and day. Answers 201 with new manifests, 200 with those of the day where there is nothing new, and 202 where the carrier takes longer than 5 s, or than `Prefer: wait=<seconds>` says; `Prefer: respond-async` does not wait.
         *
         *     Scope: `manifests:write`.
         */
        post: operations["create_manifests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manifests/{manifest_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a manifest
         * @description The links of its documents are made with each read, and end after an hour.
         *
         *     Scope: `manifests:read`.
         */
        get: operations["get_manifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manifests/{manifest_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a manifest
         * @description Asks the carrier once more for a manifest that failed, with those of its shipments that are neither voided nor in another manifest. One that did not fail is left as it is.
         *
         *     Scope: `manifests:write`.
         */
        post: operations["retry_manifest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller
         * @description Whom the access token speaks for: the organisation, the user and the world, the scopes, when the token expires, and the names of the channels that it may join.
         *
         *     Scope: none, any valid token.
         */
        get: operations["get_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set your password
         * @description In a session only. All your other sessions end. For 15 minutes after a sign-in with a link, `current_password` is not needed.
         *
         *     Scope: none, any valid token.
         */
        put: operations["set_my_password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics
         * @description Prometheus' text format.
         */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Trade a client's credentials for a token
         * @description RFC 6749, client credentials. The client id is an access token's id, its secret the token itself; in the form or as HTTP Basic. The new token lives an hour, carries the asked scopes or all of the client's, and dies with the client.
         */
        post: operations["create_oauth_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the contract
         * @description This very document: OpenAPI 3.1.
         */
        get: operations["get_openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Newest first. An order is listed if it passes all filters.
         *
         *     Scope: `orders:read`.
         */
        get: operations["list_orders"];
        put?: never;
        /**
         * Create an order
         * @description `committed` unless it says `draft`. A committed order has its reservation at once. Say what is ordered by `items`, or by `lines`, from which `items` follow. If no item has the SKU of a line, the order is a draft on hold until the line is matched.
         *
         *     Scope: `orders:write`.
         */
        post: operations["create_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{order_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order
         * @description Scope: `orders:read`.
         */
        get: operations["get_order"];
        put?: never;
        post?: never;
        /**
         * Delete an order
         * @description Its reservation, its allocations and its shipments that are not bought go with it. Where some of it is completed or bought, it stays.
         *
         *     Scope: `orders:write`.
         */
        delete: operations["delete_order"];
        options?: never;
        head?: never;
        /**
         * Update an order
         * @description Merges the body into the order (RFC 7396). The items and lines of an open order may change, but not below what is allocated. `lines` are replaced as a whole: an entry with an `id` keeps its line. If there are lines, change them and leave `items` out.
         *
         *     Scope: `orders:write`.
         */
        patch: operations["update_order"];
        trace?: never;
    };
    "/orders/{order_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an order
         * @description Its reservation and allocations go. Where some of it is completed, it stays.
         *
         *     Scope: `orders:write`.
         */
        post: operations["cancel_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{order_id}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Commit an order
         * @description A draft becomes committed and gets its reservation. Committing again changes nothing.
         *
         *     Scope: `orders:write`.
         */
        post: operations["commit_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{order_id}/exceptions/{exception_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve an exception of an order
         * @description Says that a person has dealt with it. Resolving it again changes nothing.
         *
         *     Scope: `orders:write`.
         */
        post: operations["resolve_order_exception"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{order_id}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put an order on hold
         * @description A held order is not planned: plans answer 409 `order_on_hold`. Allocations that you make yourself are allowed. A new hold takes the place of the old one. With `until`, the server ends it by itself.
         *
         *     Scope: `orders:write`.
         */
        post: operations["hold_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{order_id}/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Match a line of an order with an item
         * @description Gives a line whose SKU no inventory item has the item that is shipped for it. With the last such line the hold `unknown_sku` ends, and the order gets `status_when_matched`: one that was asked for as committed is committed and reserved. Creating an item with the SKU does the same.
         *
         *     Scope: `orders:write`.
         */
        post: operations["match_order_line"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{order_id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a note to an order
         * @description The order then shows it among its `notes`. At most 100.
         *
         *     Scope: `orders:write`.
         */
        post: operations["create_order_note"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{order_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release an order from its hold
         * @description Releasing an order that is not on hold changes nothing. An order with lines that match no item stays on hold.
         *
         *     Scope: `orders:write`.
         */
        post: operations["release_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{order_id}/shipments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make shipments from an order
         * @description Makes a draft for each location that has open allocations of the order, from the location configuration whose origin it is, to the order's destination. Packages are given or packed, customs items come from the items, the shipping rules choose service and options. All or nothing. Units that are not on hand, or that other shipments hold, are refused. The token also needs `orders:read` and `allocations:read`.
         *
         *     Scope: `shipments:write`.
         */
        post: operations["create_order_shipments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organisation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the organisation
         * @description With what it has set, in the token's world.
         *
         *     Scope: `organisation:read`.
         */
        get: operations["get_organisation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the organisation
         * @description Merges the body into what the organisation has set (RFC 7396), in the token's world. The name is the same in both worlds, and changes in the live one only. To make order references unique, while some orders have the same one, is refused; the problem's `errors` name ten of them.
         *
         *     Scope: `organisation:write`.
         */
        patch: operations["update_organisation"];
        trace?: never;
    };
    "/package_types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List package types
         * @description Newest first. An organisation has at most 200.
         *
         *     Scope: `package_types:read`.
         */
        get: operations["list_package_types"];
        put?: never;
        /**
         * Create a package type
         * @description Scope: `package_types:write`.
         */
        post: operations["create_package_type"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/package_types/{package_type_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a package type
         * @description Scope: `package_types:read`.
         */
        get: operations["get_package_type"];
        put?: never;
        post?: never;
        /**
         * Delete a package type
         * @description Only while no shipping rule names it. Shipments that name it keep its id, and the dimensions that they copied. To keep it out of packings only, set `is_active` to false.
         *
         *     Scope: `package_types:write`.
         */
        delete: operations["delete_package_type"];
        options?: never;
        head?: never;
        /**
         * Update a package type
         * @description Merges the body into the package type (RFC 7396). Shipments keep the dimensions that they copied.
         *
         *     Scope: `package_types:write`.
         */
        patch: operations["update_package_type"];
        trace?: never;
    };
    "/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List passkeys
         * @description Newest first.
         *
         *     Scope: none, any valid token.
         */
        get: operations["list_passkeys"];
        put?: never;
        /**
         * Add a passkey of yours
         * @description In a session only. The device must have verified you. For 15 minutes after a sign-in with a password, a link or a passkey, `current_password` is not needed.
         *
         *     Scope: none, any valid token.
         */
        post: operations["create_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/passkeys/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge for a new passkey
         * @description In a session only. What `navigator.credentials.create` needs: ask for `residentKey: "required"`, `userVerification: "required"` and the attestation `none`. The answer goes to `POST /passkeys` within five minutes, once, in the same session.
         *
         *     Scope: none, any valid token.
         */
        post: operations["create_passkey_challenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/passkeys/{passkey_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a passkey
         * @description One of your own; or, with the scope `users:write`, one of a user that has no more scopes than you. It can't be used to sign in any more. Sessions that it began go on until they end.
         *
         *     Scope: none, any valid token.
         */
        delete: operations["delete_passkey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/password_resets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a new password
         * @description For a person who has forgotten the password, if `GET /sign_in_methods` has `password_reset`. The server sends a link by e-mail, which signs in once, within 30 minutes; the password is then set with `PUT /me/password`, which ends all other sessions of the user. Older links of the user work no more. The answer is the same, and takes the same time, whether a user has the address or not. A user that is disabled or has no password gets no e-mail.
         */
        post: operations["create_password_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print_jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List print jobs
         * @description Newest first. Jobs that ended are deleted after a year, or what the operator set in `leftover_days`.
         *
         *     Scope: `print_jobs:read`.
         */
        get: operations["list_print_jobs"];
        put?: never;
        /**
         * Print documents
         * @description Queues the documents for one printer, and answers before they are sent: follow the job by its events. The token must also be able to read what the documents belong to, such as `shipments:read`. `sent_as` says what the printer gets: a file as it is stored, or, if the printer does not take that, a label that Dockside draws anew or a carrier's PNG that it scales, in a format and a resolution of the printer. What can't be converted is refused. Jobs of one printer are sent one at a time, in their order.
         *
         *     Scope: `print_jobs:write`.
         */
        post: operations["create_print_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print_jobs/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim print jobs
         * @description For print agents: takes the next job of each free printer whose `connection` is `agent`, at most ten, for five minutes. The list is empty if nothing waits; with `Prefer: wait=<seconds>` the answer waits for a job, 30 s at most. The token must also have `printers:read`. `dockside print-agent` does all of this.
         *
         *     Scope: `print_jobs:write`.
         */
        post: operations["claim_print_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print_jobs/{print_job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a print job
         * @description Scope: `print_jobs:read`.
         */
        get: operations["get_print_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print_jobs/{print_job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a print job
         * @description Only while it is `queued`: what is being sent can't be taken back.
         *
         *     Scope: `print_jobs:write`.
         */
        post: operations["cancel_print_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print_jobs/{print_job_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a claimed document
         * @description For print agents: the bytes of a document of a claimed job, as its printer takes it. Fetch it once the printer was reached: from then on the job counts as begun, and is `uncertain` if no report comes before the lease ends.
         *
         *     Scope: `print_jobs:write`.
         */
        get: operations["get_print_job_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print_jobs/{print_job_id}/reprint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Print a job again
         * @description Makes a new job with the same documents, copies and printer, once the old one has ended. This is what a person does about a job that is `uncertain` and did not come out.
         *
         *     Scope: `print_jobs:write`.
         */
        post: operations["reprint_print_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/print_jobs/{print_job_id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a claimed job
         * @description For print agents: what came of a job, under the fence of its claim. A report that comes after the lease has ended is refused, unless it says that the job was printed.
         *
         *     Scope: `print_jobs:write`.
         */
        post: operations["report_print_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List printers
         * @description Newest first. An organisation has at most 200 in each world.
         *
         *     Scope: `printers:read`.
         */
        get: operations["list_printers"];
        put?: never;
        /**
         * Create a printer
         * @description Nothing is sent to the printer. The address of a direct printer must lie in the networks of the operator's setting `printer_networks`; of a host name that is checked again for the address that it leads to, whenever the server connects. A second default for the same kind of document and location is refused: take it from the first printer first.
         *
         *     Scope: `printers:write`.
         */
        post: operations["create_printer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/printers/{printer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a printer
         * @description Scope: `printers:read`.
         */
        get: operations["get_printer"];
        put?: never;
        post?: never;
        /**
         * Delete a printer
         * @description Only while it has no jobs that are queued or being sent, and no shipping rule names it. Jobs that ended keep its id.
         *
         *     Scope: `printers:write`.
         */
        delete: operations["delete_printer"];
        options?: never;
        head?: never;
        /**
         * Update a printer
         * @description Merges the body into the printer (RFC 7396). While it has jobs that are queued or being sent, its `kind`, `connection` and `address` stay as they are.
         *
         *     Scope: `printers:write`.
         */
        patch: operations["update_printer"];
        trace?: never;
    };
    "/purchase_attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List purchase attempts
         * @description Newest first. Those with `state=needs_review` wait for a person: neither we nor the carrier can tell whether they were bought.
         *
         *     Scope: `shipments:read`.
         */
        get: operations["list_purchase_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/purchase_attempts/{purchase_attempt_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a purchase attempt
         * @description Scope: `shipments:read`.
         */
        get: operations["get_purchase_attempt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/purchase_attempts/{purchase_attempt_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve a purchase attempt
         * @description Says what you found in the carrier's own pages, under the attempt's `reference`: that it was bought, or not.
         *
         *     Scope: `shipments:purchase`.
         */
        post: operations["resolve_purchase_attempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell whether requests can be served
         * @description 503 while the database does not answer (`store_unavailable`), and while it can't be written to (`store_not_writable`), such as on a full disk. Reads are still served then.
         */
        get: operations["check_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report costs
         * @description Sums what carriers charged for the shipments that were bought on some days, what they gave back for voided ones, and what remains, for each group and currency. A charge belongs to the day on which the shipment was bought, in the organisation's time zone, and so does what is given back for it, whenever it was voided. A shipment counts as voided once its carrier has agreed. The amounts are the `cost` of the shipments, and those of labels that a carrier sold twice. Amounts are whole numbers of the currency's smallest unit and exact.
         *
         *     Scope: `shipments:read`.
         */
        get: operations["get_cost_report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reservations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reservations
         * @description Newest first. A reservation appears when its order is committed and goes with it.
         *
         *     Scope: `reservations:read`.
         */
        get: operations["list_reservations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description Newest first, and the four that are built in last.
         *
         *     Scope: `users:read`.
         */
        get: operations["list_roles"];
        put?: never;
        /**
         * Create a role
         * @description You can give a role only scopes that you have yourself.
         *
         *     Scope: `users:write`.
         */
        post: operations["create_role"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a role
         * @description Scope: `users:read`.
         */
        get: operations["get_role"];
        put?: never;
        post?: never;
        /**
         * Delete a role
         * @description Only a role that no user has.
         *
         *     Scope: `users:write`.
         */
        delete: operations["delete_role"];
        options?: never;
        head?: never;
        /**
         * Update a role
         * @description Merges the body into the role (RFC 7396). What its users may do changes with their next request.
         *
         *     Scope: `users:write`.
         */
        patch: operations["update_role"];
        trace?: never;
    };
    "/sample_data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make sample data
         * @description Fills the test world with a small shop, so that there is something to look at: locations, items with stock, package types, shipping rules, 120 orders of the last days, and waves that ship some of them with the sandbox carrier. Everything in it is invented. Answers 202 if that takes longer than 2 s, or than `Prefer: wait=<seconds>` says, or while the sandbox carrier is still selling labels: send the request again to go on. What was made once is not made again, even if you deleted it. The token also needs `locations:write`, `location_configurations:write`, `package_types:write`, `shipping_rules:write`, `inventory:write`, `orders:write`, `allocations:write`, `shipments:write`, `waves:write`, `batches:write`, `batches:purchase` and `manifests:write`, because all of it is made as by requests of yours.
         *
         *     Scope: `organisation:write`.
         */
        post: operations["create_sample_data"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search
         * @description Finds orders (number, number in the shop, customer, recipient, email address, post code), inventory items (SKU, barcode, name), shipments (name, tracking number, recipient, post code), batches and locations (name). First what is exactly `q`, then what begins with it, then what contains every word; within each by the text that matched, and the newest first among those with the same. Upper and lower case, accents and punctuation make no difference. Each kind needs the scope to read it, such as `orders:read`; the others are left out. A page may have fewer entries than `limit` although more follow: read on until `next_cursor` is null.
         *
         *     Scope: none, any valid token.
         */
        get: operations["search_resources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description Those that have not ended, newest first.
         *
         *     Scope: none, any valid token.
         */
        get: operations["list_sessions"];
        put?: never;
        /**
         * Sign in
         * @description With `email_address` and `password`, with the `link_token` of a one-time link, or with what a `passkey` answered to a challenge of `POST /sessions/challenge`. The answer sets the session cookie: `__Host-dockside_session` over TLS, `dockside_session` without. It is a new session each time. After ten failures the address waits 15 minutes; a link works meanwhile. Requests by cookie name their world in `Dockside-World` (`live` or `test`; `live` if a GET has none).
         */
        post: operations["create_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge for a passkey
         * @description What `navigator.credentials.get` needs, and a cookie (`__Host-dockside_passkey` over TLS, `dockside_passkey` without) that must come with the answer. The answer goes to `POST /sessions` within five minutes, once. Ask for `userVerification: "required"` and name no credentials: the person chooses the passkey.
         */
        post: operations["create_session_challenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description Ends the session of the request's cookie, and makes the browser forget it.
         *
         *     Scope: none, any valid token.
         */
        delete: operations["delete_current_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description One of your own; or, with the scope `users:write`, one of a user that has no more scopes than you.
         *
         *     Scope: none, any valid token.
         */
        delete: operations["delete_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List shipments
         * @description Newest first. A shipment is listed if it passes all filters.
         *
         *     Scope: `shipments:read`.
         */
        get: operations["list_shipments"];
        put?: never;
        /**
         * Create a shipment
         * @description Where it leaves from and goes back to is given, or copied from `addresses.location_configuration_id`. Copies never change later.
         *
         *     Scope: `shipments:write`.
         */
        post: operations["create_shipment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a shipment
         * @description The links of its documents are made with each read, and end after an hour.
         *
         *     Scope: `shipments:read`.
         */
        get: operations["get_shipment"];
        put?: never;
        post?: never;
        /**
         * Delete a shipment
         * @description Until it is bought. If it was made from an order, the units in it are free for another shipment.
         *
         *     Scope: `shipments:write`.
         */
        delete: operations["delete_shipment"];
        options?: never;
        head?: never;
        /**
         * Update a shipment
         * @description Merges the body into the shipment (RFC 7396), until it is bought. What carriers said of it is forgotten, unless only its name changes.
         *
         *     Scope: `shipments:write`.
         */
        patch: operations["update_shipment"];
        trace?: never;
    };
    "/shipments/{shipment_id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a shipment's documents
         * @description Labels and customs papers, and the packing slips and papers that were asked for. The links are made now, and end after an hour.
         *
         *     Scope: `shipments:read`.
         */
        get: operations["list_shipment_documents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/hand_over": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that the carrier has a shipment
         * @description For carriers with neither manifests nor tracking. If the shipment's `complete_allocations_on` is `hand_over`, its allocations are completed and their stock is taken. Repeating it changes nothing. The token also needs `shipments:read`.
         *
         *     Scope: `packing:write`.
         */
        post: operations["hand_over_shipment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a shipment's label
         * @description Has a label that is pending, could not be stored or was given up asked for at once, instead of after the next pause; nothing is bought again. Answers 200 with the shipment once its label is among its `documents`, and 202 where that takes longer than 5 s, or than `Prefer: wait=<seconds>` says; `Prefer: respond-async` does not wait. While the label is missing, `label_pending` is true or `errors` says why.
         *
         *     Scope: `shipments:purchase`.
         */
        post: operations["create_shipment_labels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/packing_slip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a shipment's packing slip
         * @description A PDF for the box: whom it goes to, the reference of its order, and of each package the items with name, SKU and quantity; never prices. Where no package names its items, the lines of the customs declaration. The barcode is the shipment's `name`, or its id where a scanner could not read that. A shipment has one in each format: asked again, the document keeps its id and gets a new file.
         *
         *     Scope: `shipments:write`.
         */
        post: operations["create_shipment_packing_slip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/papers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a file with a shipment's papers
         * @description One PDF to print and put on and into the box: the labels, the packing slip and the customs papers, in this order. A label that Dockside drew in another format is drawn anew, a carrier's PNG becomes a page, and a carrier's ZPL is refused with `label_format_unavailable`. There is no slip where the shipment names nothing that it contains. Asked again, the document keeps its id and gets a new file.
         *
         *     Scope: `shipments:write`.
         */
        post: operations["create_shipment_papers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/purchase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Purchase a shipment
         * @description By a `rate`, or by a `carrier_account` and a `carrier_service`. Answers 200 once it is bought or refused (see `status` and `errors`), and 202 where the carrier takes longer than 5 s, or than `Prefer: wait=<seconds>` says; `Prefer: respond-async` does not wait. It is bought once, however often it is asked for.
         *
         *     Scope: `shipments:purchase`.
         */
        post: operations["purchase_shipment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rate a shipment
         * @description Asks all usable carrier accounts at once, each for some seconds. What they say is kept with the shipment: `rates`, and `errors` of those that gave none.
         *
         *     Scope: `shipments:write`.
         */
        post: operations["rate_shipment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/rule_evaluation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what the shipping rules decided for a shipment
         * @description What the rules decided when the shipment was made from an order, and why, rule by rule. Rules that were changed or deleted since are shown as they were. A shipment that was not made from an order has none. The token also needs `shipments:read`.
         *
         *     Scope: `shipping_rules:read`.
         */
        get: operations["get_shipment_rule_evaluation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/scans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a shipment's scans
         * @description Newest first, also those that counted nothing. The token also needs `shipments:read`.
         *
         *     Scope: `packing:read`.
         */
        get: operations["list_shipment_scans"];
        put?: never;
        /**
         * Scan a code to pack it
         * @description Compares a scanned code with what the packages are to hold, and counts its units as packed. The answer is 201 whatever the code meant: `result` says it, and the rest says what is packed and what is missing. A request that is repeated with the same `scan_id` counts once. When the last unit is packed, the shipment gets `packed_at`, `shipment.packed` is told, and what `then` asks for follows; a purchase is waited for as `POST /shipments/{shipment_id}/purchase` does, up to `Prefer: wait=<seconds>`. A shipment may be scanned before and after its purchase. The token also needs `shipments:read`.
         *
         *     Scope: `packing:write`.
         */
        post: operations["create_shipment_scan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/scans/{scan_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a scan
         * @description The scan with how far its shipment is packed now, and what became of the purchase and the print that it asked for. The token also needs `shipments:read`.
         *
         *     Scope: `packing:read`.
         */
        get: operations["get_shipment_scan"];
        put?: never;
        post?: never;
        /**
         * Undo a scan
         * @description Its units no longer count as packed. If the shipment was complete, its `packed_at` is null again, and `shipment.packed` is told once more when it is complete again. A purchase stays, and so does a print job; a label that is not there yet is not printed. The token also needs `shipments:read`.
         *
         *     Scope: `packing:write`.
         */
        delete: operations["delete_shipment_scan"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/shorts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a short pick
         * @description For units that are not where they should be. Before the purchase they leave the shipment: the allocation is split, the packages and the customs lines lose the units, a package with nothing else in it is removed, and the rates no longer apply. The missing units stay allocated, outside of any shipment. A shipment with nothing left is deleted. After the purchase the order gets the exception `short`. The token also needs `shipments:read`, and with `adjust_stock` also `inventory:write`.
         *
         *     Scope: `packing:write`.
         */
        post: operations["create_shipment_short"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/tracking": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Track a shipment
         * @description Scope: `shipments:read`.
         */
        get: operations["get_shipment_tracking"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipments/{shipment_id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Void a shipment
         * @description Asks the carrier to take the label back. Answers as a purchase does; where the carrier refuses, the shipment stays `purchased` and its `errors` say why.
         *
         *     Scope: `shipments:purchase`.
         */
        post: operations["void_shipment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipping_rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List shipping rules
         * @description In the order of their positions: the first is asked first.
         *
         *     Scope: `shipping_rules:read`.
         */
        get: operations["list_shipping_rules"];
        put?: never;
        /**
         * Create a shipping rule
         * @description The rule takes the `position` that it is given, and those from there on move by one; without one, it comes last. An organisation may have 1,000 rules in each world.
         *
         *     Scope: `shipping_rules:write`.
         */
        post: operations["create_shipping_rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipping_rules/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evaluate the shipping rules
         * @description Tells what the rules decide for an order or a shipment, and rule by rule why it matched or not. Nothing is changed. An order is evaluated once for each location with open allocations of it, by what is shipped from there; without allocations, once without an origin.
         *
         *     Scope: `shipping_rules:read`.
         */
        post: operations["evaluate_shipping_rules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipping_rules/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reorder the shipping rules
         * @description Gives the rules the positions 1, 2, 3 and so on, in the order of the list, which must name every rule exactly once. Each rule that moves gets an event `shipping_rule.updated`.
         *
         *     Scope: `shipping_rules:write`.
         */
        put: operations["reorder_shipping_rules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shipping_rules/{shipping_rule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a shipping rule
         * @description Scope: `shipping_rules:read`.
         */
        get: operations["get_shipping_rule"];
        put?: never;
        post?: never;
        /**
         * Delete a shipping rule
         * @description The rules after it move up by one.
         *
         *     Scope: `shipping_rules:write`.
         */
        delete: operations["delete_shipping_rule"];
        options?: never;
        head?: never;
        /**
         * Update a shipping rule
         * @description Merges the body into the rule (RFC 7396): null removes a condition, and lists are replaced as a whole. With another `position`, the rules between move by one.
         *
         *     Scope: `shipping_rules:write`.
         */
        patch: operations["update_shipping_rule"];
        trace?: never;
    };
    "/sign_in_methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the ways to sign in
         * @description What the sign-in page offers. `openid_connect` is null if the operator has set no identity provider.
         */
        get: operations["get_sign_in_methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what needs attention
         * @description Counts late, held and troubled orders, purchases to review, failing webhook endpoints and low items, and the shipments bought on each of the last 14 days, all at one moment. Each count needs the scope to read what it counts, such as `orders:read`, and is null without it.
         *
         *     Scope: none, any valid token.
         */
        get: operations["get_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Newest first. Users are the same in both worlds.
         *
         *     Scope: `users:read`.
         */
        get: operations["list_users"];
        put?: never;
        /**
         * Invite a user
         * @description The answer has a link with which the person signs in for the first time and sets a password. Pass it on: it works once, within 15 minutes. If the server sends e-mail, the person also gets it so, and it works for 24 hours. You can give only roles whose scopes you have.
         *
         *     Scope: `users:write`.
         */
        post: operations["create_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Scope: `users:read`.
         */
        get: operations["get_user"];
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Sessions and access tokens of the user end at once. Events that name the user stay.
         *
         *     Scope: `users:write`.
         */
        delete: operations["delete_user"];
        options?: never;
        head?: never;
        /**
         * Update a user
         * @description Merges the body into the user (RFC 7396). Roles count from the next request on. You can change only users that have no more scopes than you.
         *
         *     Scope: `users:write`.
         */
        patch: operations["update_user"];
        trace?: never;
    };
    "/users/{user_id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a user
         * @description Sessions, links and access tokens of the user work no more, from now on and until the user is enabled again.
         *
         *     Scope: `users:write`.
         */
        post: operations["disable_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a user
         * @description Access tokens of the user work again. Sessions that ended do not come back.
         *
         *     Scope: `users:write`.
         */
        post: operations["enable_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a sign-in link for a user
         * @description For a person who has forgotten the password. It works once, within 15 minutes, and older links work no more. If the server sends e-mail, the person also gets it so; if the user has no password yet, it works for 24 hours.
         *
         *     Scope: `users:write`.
         */
        post: operations["create_user_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/sign_out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a user out everywhere
         * @description Ends all sessions of the user. Access tokens go on.
         *
         *     Scope: `users:write`.
         */
        post: operations["sign_out_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/waves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List waves
         * @description Newest first. Waves that ended are deleted after a year, or what the operator set in `leftover_days`; what they made stays.
         *
         *     Scope: `waves:read`.
         */
        get: operations["list_waves"];
        put?: never;
        /**
         * Start a wave
         * @description Processes many orders in the background: plans, packs, makes shipments, puts them into batches and, if you want, buys these. Orders are processed by `ship_by`, then by `placed_at`. Each step of an order is done once, whatever crashes. An order that can't be processed becomes an exception of the wave with its reason, and the others go on. The orders and the shipping rules are taken as they are now. The token also needs `orders:read` and what the steps need: `allocations:write` for `plan`, `shipments:write` for `ship` and `rate`, `batches:write` for `batch`, `batches:purchase` for `purchase`.
         *
         *     Scope: `waves:write`.
         */
        post: operations["create_wave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/waves/{wave_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a wave
         * @description Shows how far it is. Events tell of its progress at most four times a second.
         *
         *     Scope: `waves:read`.
         */
        get: operations["get_wave"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/waves/{wave_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a wave
         * @description Orders that wait are not processed. What exists stays: allocations, shipments and batches. A purchase that has begun goes on. Repeating it changes nothing.
         *
         *     Scope: `waves:write`.
         */
        post: operations["cancel_wave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/waves/{wave_id}/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a wave's orders
         * @description In the order of their turns, with what came of each.
         *
         *     Scope: `waves:read`.
         */
        get: operations["list_wave_orders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/waves/{wave_id}/pick_lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a wave's pick lists
         * @description What to collect for the orders of the wave that are done: one PDF for each location that their shipments leave from, sorted by bin, as for a batch. A wave of more than 500 orders has parts of 500: ask for them one by one with `part`.
         *
         *     Scope: `waves:write`.
         */
        post: operations["create_wave_pick_lists"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/waves/{wave_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process a wave's exceptions again
         * @description Once the wave is completed and you have repaired what kept orders from being processed. Only exceptions are processed, from the step that failed, by the shipping rules as they are now. The token needs the same scopes as for starting the wave.
         *
         *     Scope: `waves:write`.
         */
        post: operations["retry_wave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook_endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Newest first, without their secrets.
         *
         *     Scope: `webhooks:read`.
         */
        get: operations["list_webhook_endpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description It gets the events from now on, each at least once, signed as [Standard Webhooks](https://www.standardwebhooks.com) says. The secret is in this answer, and never shown again. Your token needs the scope to read the resource of each type that you name, such as `orders:read` for `order.created`; `*` means the types that it may read now, and stays that when the token is gone.
         *
         *     Scope: `webhooks:write`.
         */
        post: operations["create_webhook_endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook_endpoints/{webhook_endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook endpoint
         * @description Scope: `webhooks:read`.
         */
        get: operations["get_webhook_endpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Nothing more is sent to it, and its deliveries are gone with it.
         *
         *     Scope: `webhooks:write`.
         */
        delete: operations["delete_webhook_endpoint"];
        options?: never;
        head?: never;
        /**
         * Update a webhook endpoint
         * @description Merges the body into the endpoint (RFC 7396). One that is enabled again goes on where it stopped. Your token must be able to read all events that the endpoint gets. New `event_types` are chosen as those of a new endpoint are.
         *
         *     Scope: `webhooks:write`.
         */
        patch: operations["update_webhook_endpoint"];
        trace?: never;
    };
    "/webhook_endpoints/{webhook_endpoint_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook deliveries
         * @description Newest first, with every attempt and the first 4 kB of each answer. Kept as long as events are.
         *
         *     Scope: `webhooks:read`.
         */
        get: operations["list_webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook_endpoints/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook delivery
         * @description Scope: `webhooks:read`.
         */
        get: operations["get_webhook_delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook_endpoints/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a webhook delivery
         * @description Sends the same event again, as a new delivery with the same `webhook-id`.
         *
         *     Scope: `webhooks:write`.
         */
        post: operations["replay_webhook_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook_endpoints/{webhook_endpoint_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay events to a webhook endpoint
         * @description Sends everything after a sequence again, in order, before what comes next. What the endpoint has seen comes twice, with the same `webhook-id`.
         *
         *     Scope: `webhooks:write`.
         */
        post: operations["replay_webhook_endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook_endpoints/{webhook_endpoint_id}/rotate_secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a webhook endpoint's secret
         * @description The new secret is in this answer, and never shown again. For 24 hours every delivery carries a signature of the old one too.
         *
         *     Scope: `webhooks:write`.
         */
        post: operations["rotate_webhook_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook_endpoints/{webhook_endpoint_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook endpoint
         * @description Sends the event `webhook_endpoint.test` to it, once. Read the delivery again to see what came of it.
         *
         *     Scope: `webhooks:write`.
         */
        post: operations["test_webhook_endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An access token. Its secret is shown once, when it is made. */
        AccessToken: {
            /** @description Names the token without giving access: `dockside token list` and revoking use it, and OAuth takes it as `client_id`. */
            id: string;
            /**
             * @description A note for people, such as the device that holds the token. It has no effect, and need not be unique.
             * @example Warehouse scanner
             */
            name?: string | null;
            user: components["schemas"]["UserReference"];
            /**
             * @description `live` data, or the `test` world beside it, where the only carrier is the sandbox. Set by the token that made this one.
             * @enum {string}
             */
            mode: "live" | "test";
            /** @description What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead. */
            scopes: string[];
            /**
             * Format: date-time
             * @description From this moment on the token is refused with 401. Null: it lives until it is revoked.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /** @description The token that made this one: revoking it revokes this one too. Null where the operator made it on the server, or a version of Dockside that did not record it. */
            created_by?: string | null;
        };
        /** @description A new access token with its secret. */
        AccessTokenCreated: {
            /** @description Names the token without giving access: `dockside token list` and revoking use it, and OAuth takes it as `client_id`. */
            id: string;
            /**
             * @description A note for people, such as the device that holds the token. It has no effect, and need not be unique.
             * @example Warehouse scanner
             */
            name?: string | null;
            user: components["schemas"]["UserReference"];
            /**
             * @description `live` data, or the `test` world beside it, where the only carrier is the sandbox. Set by the token that made this one.
             * @enum {string}
             */
            mode: "live" | "test";
            /** @description What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead. */
            scopes: string[];
            /**
             * Format: date-time
             * @description From this moment on the token is refused with 401. Null: it lives until it is revoked.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /** @description The token that made this one: revoking it revokes this one too. Null where the operator made it on the server, or a version of Dockside that did not record it. */
            created_by?: string | null;
            /** @description The secret to send as `Authorization: Bearer …`. Only a hash of it is kept, so it is in this answer and never shown again. */
            token: string;
        };
        /** @description What a new token is for and may do. */
        AccessTokenInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description A note for people, such as the device that holds the token. It has no effect, and need not be unique.
             * @example Warehouse scanner
             */
            name?: string | null;
            user?: components["schemas"]["UserReferenceInput"] | null;
            /** @description Made by the server; ignored in requests. */
            mode?: unknown;
            /** @description What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead. */
            scopes: string[];
            /**
             * Format: date-time
             * @description From this moment on the token is refused with 401. Null: it lives until it is revoked.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at?: string | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_by?: unknown;
        };
        /** @description Who or what made the change. */
        Actor: {
            /**
             * @description What it is: a `user` who has signed in, an access `token`, a `job` of the server, a `carrier` that told of a parcel, or the `system` itself. Nothing is done by a `shop` or a `customer` yet.
             * @example user
             * @enum {string}
             */
            type: "user" | "token" | "job" | "carrier" | "shop" | "customer" | "system";
            /**
             * @description The id of the user or of the access token. Null for the others.
             * @example usr_01jc0000000000000000000000
             */
            id?: string | null;
            /**
             * @description The name of the job, such as `purchases`. Null for the others.
             * @example purchases
             */
            name?: string | null;
        };
        /** @description A postal address and whom to ask for there. */
        Address: {
            /** @description Street, town and country, as they are printed on labels. */
            address: components["schemas"]["PostalAddress"];
            /** @description The person or firm there. Labels name the sender by it. */
            contact?: components["schemas"]["Contact"] | null;
        };
        /** @description A postal address and whom to ask for there. */
        AddressInput: {
            /** @description Street, town and country, as they are printed on labels. */
            address: components["schemas"]["PostalAddressInput"];
            /** @description The person or firm there. Labels name the sender by it. */
            contact?: components["schemas"]["ContactInput"] | null;
        };
        /** @description A postal address and whom to ask for there. */
        AddressPatch: {
            /** @description Street, town and country, as they are printed on labels. */
            address?: components["schemas"]["PostalAddressPatch"];
            /** @description The person or firm there. Labels name the sender by it. */
            contact?: components["schemas"]["ContactInput"] | null;
        };
        /** @description A postal address, who is there, and your own notes on it. */
        AddressRecord: {
            /**
             * @description What the address is called in lists: a location's name where it was copied from one. Never printed or sent to a carrier, except for a destination whose contact has neither name nor company.
             * @example Bristol depot
             */
            display_name?: string | null;
            /** @description Street, town and country, as they are printed. */
            address: components["schemas"]["ShipmentPostalAddress"];
            /** @description Who sends or receives: printed above the address and told to the carrier. */
            contact?: components["schemas"]["Contact"] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What other systems call this address: a map from a marketplace's name to its id, as strings. Kept and returned.
             * @example {
             *       "shopify": "68241883417"
             *     }
             */
            marketplaces?: {
                [key: string]: string;
            } | null;
            /** @description Where it is on the globe, if you know. Some carriers' zones go by it. */
            coordinates?: components["schemas"]["Coordinates"] | null;
        };
        /** @description A postal address, who is there, and your own notes on it. */
        AddressRecordInput: {
            /**
             * @description What the address is called in lists: a location's name where it was copied from one. Never printed or sent to a carrier, except for a destination whose contact has neither name nor company.
             * @example Bristol depot
             */
            display_name?: string | null;
            /** @description Street, town and country, as they are printed. */
            address: components["schemas"]["ShipmentPostalAddressInput"];
            /** @description Who sends or receives: printed above the address and told to the carrier. */
            contact?: components["schemas"]["ContactInput"] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What other systems call this address: a map from a marketplace's name to its id, as strings. Kept and returned.
             * @example {
             *       "shopify": "68241883417"
             *     }
             */
            marketplaces?: {
                [key: string]: string;
            } | null;
            /** @description Where it is on the globe, if you know. Some carriers' zones go by it. */
            coordinates?: components["schemas"]["CoordinatesInput"] | null;
        };
        /** @description A postal address, who is there, and your own notes on it. */
        AddressRecordPatch: {
            /**
             * @description What the address is called in lists: a location's name where it was copied from one. Never printed or sent to a carrier, except for a destination whose contact has neither name nor company.
             * @example Bristol depot
             */
            display_name?: string | null;
            /** @description Street, town and country, as they are printed. */
            address?: components["schemas"]["ShipmentPostalAddressPatch"];
            /** @description Who sends or receives: printed above the address and told to the carrier. */
            contact?: components["schemas"]["ContactInput"] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What other systems call this address: a map from a marketplace's name to its id, as strings. Kept and returned.
             * @example {
             *       "shopify": "68241883417"
             *     }
             */
            marketplaces?: {
                [key: string]: string | null;
            } | null;
            /** @description Where it is on the globe, if you know. Some carriers' zones go by it. */
            coordinates?: components["schemas"]["CoordinatesInput"] | null;
        };
        /** @description An item of an order, assigned to a location for fulfilment. */
        Allocation: {
            /** @description Made when stock is assigned to a location. Changing or completing the allocation keeps it. */
            id: string;
            /** @description The place that sends it. Its level counts the quantity as allocated until completion. */
            location: components["schemas"]["PlaceReference"];
            /** @description The committed order whose reservation this is a part of. */
            order: components["schemas"]["OrderReference"];
            /** @description The one item that is allocated, and how many. A list, so that it reads like an order's `items`. */
            items: components["schemas"]["LineItem"][];
            /** @description The parcels that hold these units. Null while none does, and again after they are voided or deleted. */
            shipment_id?: string | null;
            /**
             * Format: date-time
             * @description When the stock was taken. Null while the allocation is open and may change.
             * @example 2026-11-01T09:30:00.000000Z
             */
            completed_at?: string | null;
        };
        /** @description What becomes of one allocation; what is not named stays. */
        AllocationChangeInput: {
            /** @description Made when stock is assigned to a location. Changing or completing the allocation keeps it. */
            id: string;
            /** @description Moves the open allocation to another place. */
            location?: components["schemas"]["PlaceReferenceInput"] | null;
            /** @description Made by the server; ignored in requests. */
            order?: unknown;
            /** @description The one item that is allocated, and how many. A list, so that it reads like an order's `items`. */
            items?: components["schemas"]["LineItemInput"][] | null;
            /** @description Made by the server; ignored in requests. */
            shipment_id?: unknown;
            /** @description `true` completes the allocation now: its quantity is taken from what is on hand. It can't be undone but by deleting all of the order's allocations. */
            completed?: boolean | null;
            /**
             * Format: date-time
             * @description Completes the allocation, as `completed` does, with the moment at which the goods left. Null or absent leaves it open.
             * @example 2026-11-01T09:30:00.000000Z
             */
            completed_at?: string | null;
        };
        /** @description The allocations to change, together or not at all: one that is refused leaves all as they were. */
        AllocationChangesInput: {
            /** @description The allocations to change, together or not at all: one that is refused leaves all as they were. */
            allocations: components["schemas"]["AllocationChangeInput"][];
        };
        /** @description Items to send from a location. Several items become one allocation each. */
        AllocationInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /** @description The place that is to send the items. It need not have them on hand: what is missing is on backorder. */
            location: components["schemas"]["PlaceReferenceInput"];
            /** @description Made by the server; ignored in requests. */
            order?: unknown;
            /** @description What to send from there. Each item becomes an allocation of its own, within the order's reservation. */
            items: components["schemas"]["LineItemInput"][];
            /** @description Made by the server; ignored in requests. */
            shipment_id?: unknown;
            /** @description Made by the server; ignored in requests. */
            completed_at?: unknown;
        };
        /** @description The allocation that took the stock or gave it back. Null for other changes. */
        AllocationReference: {
            /** @description Made when stock is assigned to a location. Changing or completing the allocation keeps it. */
            id: string;
        };
        /** @description Up to so many allocations, made together or not at all: one that is refused refuses all. */
        AllocationsInput: {
            /** @description Up to so many allocations, made together or not at all: one that is refused refuses all. */
            allocations: components["schemas"]["AllocationInput"][];
        };
        /** @description Shipments that are bought, labelled and handed over together. */
        Batch: {
            /** @description Made when the batch is created. Shipments, labels and manifests of the batch are found under it. */
            id: string;
            /**
             * @description Shown in lists and exports; need not be unique. No carrier sees it.
             * @example Monday's parcels
             */
            name?: string | null;
            service?: components["schemas"]["BatchService"] | null;
            options?: components["schemas"]["BatchOptions"] | null;
            /**
             * @description `open` until it is bought; `purchasing` meanwhile; then `purchased`, or `partially_purchased` or `purchase_failed`, which can be repaired and bought again. `purchased` is final: the batch can't change any more.
             * @example open
             * @enum {string}
             */
            status: "open" | "purchasing" | "purchased" | "partially_purchased" | "purchase_failed";
            /** @description What went wrong with its shipments, up to a limit; `error_count` is the whole number. */
            errors: components["schemas"]["BatchError"][];
            /** @description In requests, shipments that are to be in it: ids, objects with an `id`, or whole shipments as they were read, of which only the `id` counts; one may come without an array around it. In answers the oldest 20 of its shipments, in short; GET /batches/{batch_id}/shipments has them all. */
            shipments?: components["schemas"]["BatchMember"][] | null;
            /**
             * Format: int64
             * @description Everything in the batch, whether bought or not. At most what the operator allows: 100,000 by default.
             * @example 2
             */
            shipments_count: number;
            /**
             * Format: int64
             * @description Shipments of the batch that are bought and not voided. With `shipments_count` it shows how far a purchase has come.
             * @example 0
             */
            purchased_count: number;
            /**
             * Format: int64
             * @description Errors of all its shipments together; a shipment may have several. `errors` shows the first of them.
             * @example 0
             */
            error_count: number;
            /**
             * @description Errors of all its shipments by `code`, however many `errors` shows. Codes without errors are missing; the counts add up to `error_count`.
             * @example {
             *       "address_invalid": 2
             *     }
             */
            error_counts: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description The parcels of all its shipments: the number of labels to expect.
             * @example 2
             */
            packages_count: number;
            /**
             * Format: int64
             * @description Purchased shipments whose label the carrier delivers later. When it is 0 again, `batch.labels_ready` is sent.
             * @example 0
             */
            labels_pending_count: number;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description In requests: whether the batch's service counts more than another that a shipment chose already. */
            override?: boolean | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description The carrier, by its id or its handle. May be left out where the account is given. */
        BatchCarrier: {
            /** @description The same in every organisation. Where a carrier is asked for, its `handle` does as well. */
            id?: string | null;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name?: string | null;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
            /**
             * @description A sentence for people who choose between several.
             * @example A carrier for tests.
             */
            description?: string | null;
        };
        /** @description The account, by its id or its handle. May be left out where the carrier has one usable account. */
        BatchCarrierAccount: {
            /** @description Made when the account is created. Where an account is asked for, its `handle` does as well. */
            id?: string | null;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name?: string | null;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
            /**
             * @description A sentence for people who choose between several.
             * @example A carrier for tests.
             */
            description?: string | null;
        };
        /** @description The account, by its id or its handle. May be left out where the carrier has one usable account. */
        BatchCarrierAccountInput: {
            /** @description Made when the account is created. Where an account is asked for, its `handle` does as well. */
            id?: string | null;
            /** @description Made by the server; ignored in requests. */
            name?: unknown;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
            /** @description Made by the server; ignored in requests. */
            description?: unknown;
        };
        /** @description The carrier, by its id or its handle. May be left out where the account is given. */
        BatchCarrierInput: {
            /** @description The same in every organisation. Where a carrier is asked for, its `handle` does as well. */
            id?: string | null;
            /** @description Made by the server; ignored in requests. */
            name?: unknown;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
            /** @description Made by the server; ignored in requests. */
            description?: unknown;
        };
        /** @description How fast it travels, and for how much: a service of the carrier, by its id or its handle, such as `standard`. */
        BatchCarrierService: {
            /** @description The same in every organisation. Where a service is asked for, its `handle` does as well. */
            id?: string | null;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name?: string | null;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
            /**
             * @description A sentence for people who choose between several.
             * @example A carrier for tests.
             */
            description?: string | null;
        };
        /** @description How fast it travels, and for how much: a service of the carrier, by its id or its handle, such as `standard`. */
        BatchCarrierServiceInput: {
            /** @description The same in every organisation. Where a service is asked for, its `handle` does as well. */
            id?: string | null;
            /** @description Made by the server; ignored in requests. */
            name?: unknown;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
            /** @description Made by the server; ignored in requests. */
            description?: unknown;
        };
        /** @description Something that went wrong with a shipment of a batch. */
        BatchError: {
            /** @description Tells which member of the batch to repair, or to remove before the next purchase. */
            shipment_id: string;
            /**
             * @description What was being done: rating, buying, labelling, voiding or closing out.
             * @example rate_error
             * @enum {string}
             */
            type: "validation_error" | "rate_error" | "purchase_error" | "label_error" | "manifest_error" | "void_error";
            /**
             * @description The cause, for programs. Stable: match on it, not on `message`.
             * @example rates_unavailable
             * @enum {string}
             */
            code: "rates_unavailable" | "rate_expired" | "address_invalid" | "post_code_invalid" | "service_unavailable" | "insufficient_funds" | "credentials_invalid" | "customs_required" | "weight_limit" | "dimensions_limit" | "label_format_unavailable" | "option_unavailable" | "purchase_declined" | "provider_timeout" | "provider_unavailable" | "outcome_unknown" | "duplicate_purchase_voided" | "insufficient_stock" | "order_on_hold" | "order_cancelled" | "order_blocked";
            /**
             * @description Who refused: the `carrier` in its own words, the `provider` between (it did not answer), or the `service`: Dockside itself.
             * @example provider
             * @enum {string}
             */
            source: "request" | "service" | "carrier" | "provider";
            /**
             * @description A sentence for people, often the carrier's own. Its wording may change at any time.
             * @example No service carries this parcel to this address.
             */
            message: string;
            /**
             * Format: int64
             * @description The number of the package that it is about, from 1 on. Absent where it is about the whole shipment.
             * @example 2
             */
            package?: number | null;
        };
        /** @description Shipments that are bought, labelled and handed over together. */
        BatchInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Shown in lists and exports; need not be unique. No carrier sees it.
             * @example Monday's parcels
             */
            name?: string | null;
            service?: components["schemas"]["BatchServiceInput"] | null;
            options?: components["schemas"]["BatchOptionsInput"] | null;
            /** @description Made by the server; ignored in requests. */
            status?: unknown;
            /** @description Made by the server; ignored in requests. */
            errors?: unknown;
            shipments?: ((string | components["schemas"]["ShipmentById"])[] | (string | components["schemas"]["ShipmentById"])) | null;
            /** @description Made by the server; ignored in requests. */
            shipments_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            purchased_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            error_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            error_counts?: unknown;
            /** @description Made by the server; ignored in requests. */
            packages_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            labels_pending_count?: unknown;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description In requests: whether the batch's service counts more than another that a shipment chose already. */
            override?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /**
         * @description How its labels are wanted. Where no format is given, as the batch's `options.label_format` says.
         * @example {
         *       "format": "pdf"
         *     }
         */
        BatchLabelsInput: {
            format?: ("png" | "zpl" | "pdf") | null;
        };
        /** @description A shipment of a batch, in short. */
        BatchMember: {
            /** @description Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages. */
            id: string;
            /**
             * @description A name or reference of your own, such as the order's number. Need not be unique.
             * @example Order 1042
             */
            name?: string | null;
            /**
             * @description `draft` when made, `rated` with rates, `purchasing` while the carrier is asked, then `purchased` or `purchase_failed`, which can be repaired and bought again. `voided`: the carrier took the label back and refunds it.
             * @example purchased
             * @enum {string}
             */
            status: "draft" | "rated" | "purchasing" | "purchased" | "purchase_failed" | "voided";
            /** @description What went wrong with this shipment; empty while nothing did. */
            errors: components["schemas"]["ShipmentError"][];
        };
        /**
         * @description How the labels of the whole batch are made. It counts for the merged file, whatever the shipments ask for themselves.
         * @example {
         *       "label_format": "png"
         *     }
         */
        BatchOptions: {
            /** @description The format of every label and of the merged file: pages of a PDF, ZPL one after the other, or PNG files in a ZIP. Defaults to `png`. */
            label_format?: ("png" | "zpl" | "pdf") | null;
        };
        /**
         * @description How the labels of the whole batch are made. It counts for the merged file, whatever the shipments ask for themselves.
         * @example {
         *       "label_format": "png"
         *     }
         */
        BatchOptionsInput: {
            /** @description The format of every label and of the merged file: pages of a PDF, ZPL one after the other, or PNG files in a ZIP. Defaults to `png`. */
            label_format?: ("png" | "zpl" | "pdf") | null;
        };
        /**
         * @description How the papers are wanted, and of which part of a large batch.
         * @example {
         *       "format": "a4"
         *     }
         */
        BatchPaperInput: {
            format?: ("a4" | "letter" | "4x6") | null;
            /**
             * Format: int64
             * @description Which 500 shipments of a large batch, or which 500 orders of a large wave, in their order: 1 for the first 500, 2 for the next. Needed where there are more than 500.
             * @example 1
             */
            part?: number | null;
        };
        /** @description Shipments that are bought, labelled and handed over together. */
        BatchPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Shown in lists and exports; need not be unique. No carrier sees it.
             * @example Monday's parcels
             */
            name?: string | null;
            service?: components["schemas"]["BatchServiceInput"] | null;
            options?: components["schemas"]["BatchOptionsInput"] | null;
            /** @description Made by the server; ignored in requests. */
            status?: unknown;
            /** @description Made by the server; ignored in requests. */
            errors?: unknown;
            shipments?: ((string | components["schemas"]["ShipmentById"])[] | (string | components["schemas"]["ShipmentById"])) | null;
            /** @description Made by the server; ignored in requests. */
            shipments_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            purchased_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            error_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            error_counts?: unknown;
            /** @description Made by the server; ignored in requests. */
            packages_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            labels_pending_count?: unknown;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description In requests: whether the batch's service counts more than another that a shipment chose already. */
            override?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description The service with which all shipments of the batch are bought. Without it, each is bought with the service it chose itself. */
        BatchService: {
            carrier?: components["schemas"]["BatchCarrier"] | null;
            carrier_service: components["schemas"]["BatchCarrierService"];
            carrier_account?: components["schemas"]["BatchCarrierAccount"] | null;
        };
        /** @description The service with which all shipments of the batch are bought. Without it, each is bought with the service it chose itself. */
        BatchServiceInput: {
            carrier?: components["schemas"]["BatchCarrierInput"] | null;
            carrier_service: components["schemas"]["BatchCarrierServiceInput"];
            carrier_account?: components["schemas"]["BatchCarrierAccountInput"] | null;
        };
        /** @description Shipments to put into a batch. */
        BatchShipmentsAddedInput: {
            /** @description Shipments: ids, objects with an `id`, or whole shipments as they were read. One may come without an array around it. */
            shipments: (string | components["schemas"]["ShipmentById"])[] | (string | components["schemas"]["ShipmentById"]);
            /** @description In requests: whether the batch's service counts more than another that a shipment chose already. */
            override?: boolean | null;
        };
        /** @description Shipments to take out of a batch. */
        BatchShipmentsRemovedInput: {
            /** @description Shipments: ids, objects with an `id`, or whole shipments as they were read. One may come without an array around it. */
            shipments: (string | components["schemas"]["ShipmentById"])[] | (string | components["schemas"]["ShipmentById"]);
        };
        /** @description What the organisation puts on its packing slips and pick lists, in the token's world. */
        Branding: {
            /**
             * @description Printed at the top of each page where there is no logo. Without it, a packing slip has the company or the name of its sender.
             * @example Riverside Goods
             */
            name?: string | null;
            /**
             * @description Of the rule below the logo or name: red, green and blue in hexadecimal. Black without it.
             * @example #005ca0
             */
            colour?: string | null;
            /**
             * @description Printed at the bottom of each page, in up to three lines: thanks, the way to return something, what the law asks for.
             * @example Returns within 30 days: riverside.example/returns
             */
            footer?: string | null;
            /**
             * @description A PNG in base64: up to 256 KiB, sides of up to 4,096 pixels, and up to 4,000,000 pixels. It is printed up to 60 mm wide; what is transparent stays white.
             * @example iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==
             */
            logo?: string | null;
            /**
             * Format: date-time
             * @description When the branding was last set or deleted, on the server's clock: RFC 3339 in UTC. Null if it never was.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at?: string | null;
        };
        /** @description What the organisation puts on its packing slips and pick lists, in the token's world. */
        BrandingInput: {
            /**
             * @description Printed at the top of each page where there is no logo. Without it, a packing slip has the company or the name of its sender.
             * @example Riverside Goods
             */
            name?: string | null;
            /**
             * @description Of the rule below the logo or name: red, green and blue in hexadecimal. Black without it.
             * @example #005ca0
             */
            colour?: string | null;
            /**
             * @description Printed at the bottom of each page, in up to three lines: thanks, the way to return something, what the law asks for.
             * @example Returns within 30 days: riverside.example/returns
             */
            footer?: string | null;
            /**
             * @description A PNG in base64: up to 256 KiB, sides of up to 4,096 pixels, and up to 4,000,000 pixels. It is printed up to 60 mm wide; what is transparent stays white.
             * @example iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==
             */
            logo?: string | null;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A company that carries parcels. */
        Carrier: {
            /** @description The same in every organisation. Where a carrier is asked for, its `handle` does as well. */
            id: string;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name: string;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle: string;
            /**
             * @description A sentence for people who choose between several.
             * @example A carrier for tests.
             */
            description: string;
        };
        /** @description A contract with a carrier: with it rates are asked for and labels are bought. */
        CarrierAccount: {
            /** @description Made when the account is created. Where an account is asked for, its `handle` does as well. */
            id: string;
            carrier: components["schemas"]["CarrierName"];
            /**
             * @description How your team tells accounts apart. Rates and shipments show it.
             * @example Sandbox
             */
            name: string;
            /**
             * @description Your own short name for the account. Purchases accept it instead of the id.
             * @example sandbox
             */
            handle?: string | null;
            /** @description A note for your team, such as whose contract it is. */
            description?: string | null;
            /**
             * @description What the carrier's connector needs to know, such as the rate table of `own` or the rate card of `royal_mail`; the guide's page on carriers lists it. Shown to everybody who may read accounts: put no key here.
             * @example {
             *       "currency_code": "GBP"
             *     }
             */
            configuration?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Keys and passwords for the carrier. Encrypted before they are stored, never shown and never logged. A PATCH replaces all of them.
             * @example {
             *       "api_key": "EZTK…"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `true` once `credentials` were given; they themselves are never shown.
             * @example true
             */
            has_credentials: boolean;
            /**
             * @description `true` leaves the account out of rating and buying. What was bought with it is still tracked and can be voided.
             * @example false
             */
            disabled?: boolean | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A contract with a carrier: with it rates are asked for and labels are bought. */
        CarrierAccountInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            carrier: components["schemas"]["CarrierNameInput"];
            /**
             * @description How your team tells accounts apart. Rates and shipments show it.
             * @example Sandbox
             */
            name: string;
            /**
             * @description Your own short name for the account. Purchases accept it instead of the id.
             * @example sandbox
             */
            handle?: string | null;
            /** @description A note for your team, such as whose contract it is. */
            description?: string | null;
            /**
             * @description What the carrier's connector needs to know, such as the rate table of `own` or the rate card of `royal_mail`; the guide's page on carriers lists it. Shown to everybody who may read accounts: put no key here.
             * @example {
             *       "currency_code": "GBP"
             *     }
             */
            configuration?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Keys and passwords for the carrier. Encrypted before they are stored, never shown and never logged. A PATCH replaces all of them.
             * @example {
             *       "api_key": "EZTK…"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /** @description Made by the server; ignored in requests. */
            has_credentials?: unknown;
            /**
             * @description `true` leaves the account out of rating and buying. What was bought with it is still tracked and can be voided.
             * @example false
             */
            disabled?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A contract with a carrier: with it rates are asked for and labels are bought. */
        CarrierAccountPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            carrier?: components["schemas"]["CarrierNamePatch"];
            /**
             * @description How your team tells accounts apart. Rates and shipments show it.
             * @example Sandbox
             */
            name?: string;
            /**
             * @description Your own short name for the account. Purchases accept it instead of the id.
             * @example sandbox
             */
            handle?: string | null;
            /** @description A note for your team, such as whose contract it is. */
            description?: string | null;
            /**
             * @description What the carrier's connector needs to know, such as the rate table of `own` or the rate card of `royal_mail`; the guide's page on carriers lists it. Shown to everybody who may read accounts: put no key here.
             * @example {
             *       "currency_code": "GBP"
             *     }
             */
            configuration?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Keys and passwords for the carrier. Encrypted before they are stored, never shown and never logged. A PATCH replaces all of them.
             * @example {
             *       "api_key": "EZTK…"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            } | null;
            /** @description Made by the server; ignored in requests. */
            has_credentials?: unknown;
            /**
             * @description `true` leaves the account out of rating and buying. What was bought with it is still tracked and can be voided.
             * @example false
             */
            disabled?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description The carrier account, as it was named when this was written. */
        CarrierAccountReference: {
            /** @description Made when the account is created. Where an account is asked for, its `handle` does as well. */
            id: string;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name: string;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
        };
        /** @description Whether the carrier lets an account in. Nothing is bought and nothing is kept. */
        CarrierAccountTest: {
            /**
             * @description `connected`: the carrier took the request and let the account in. `refused`: it, or the connector, said no; `message` says why, such as a wrong key. `unreachable`: nothing was sent. `unclear`: the request was sent, and no answer came that can be read.
             * @enum {string}
             */
            outcome: "connected" | "refused" | "unreachable" | "unclear";
            /**
             * @description Why it is not connected, in the carrier's own words where it has any; or why there is no price for some services.
             * @example This api key is no longer active.
             */
            message?: string | null;
            /**
             * Format: int64
             * @description How many services gave a price for the parcel.
             * @example 3
             */
            rate_count: number;
            /**
             * Format: int64
             * @description How long the carrier took, in milliseconds.
             * @example 420
             */
            duration_ms: number;
        };
        /** @description Which carriers and services you want, before anything is rated. */
        CarrierChoice: {
            /**
             * @description Only this carrier is asked for rates: its handle or id.
             * @example sandbox
             */
            carrier_code?: string | null;
            /**
             * @description Only rates of this service are kept: its handle or id.
             * @example sandbox
             */
            service_code?: string | null;
            /** @description Only these accounts are asked for rates, by id or handle. Without it, all that are enabled. */
            carrier_accounts?: string[] | null;
        };
        /** @description Which carriers and services you want, before anything is rated. */
        CarrierChoiceInput: {
            /**
             * @description Only this carrier is asked for rates: its handle or id.
             * @example sandbox
             */
            carrier_code?: string | null;
            /**
             * @description Only rates of this service are kept: its handle or id.
             * @example sandbox
             */
            service_code?: string | null;
            /** @description Only these accounts are asked for rates, by id or handle. Without it, all that are enabled. */
            carrier_accounts?: string[] | null;
        };
        /** @description The carrier that the contract is with, by its `id` or its `handle`. It can't change later. */
        CarrierName: {
            /** @description The id that `GET /carriers` lists. Give this or the `handle`, which is easier to read. */
            id?: string | null;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name?: string | null;
            /**
             * @description Which carrier, by handle: `sandbox`, `own`, `dhl_express`, `dhl_parcel_de`, `easypost`, `royal_mail`, `ups` or `usps`. Give this or the `id`.
             * @example sandbox
             */
            handle?: string | null;
        };
        /** @description The carrier that the contract is with, by its `id` or its `handle`. It can't change later. */
        CarrierNameInput: {
            /** @description The id that `GET /carriers` lists. Give this or the `handle`, which is easier to read. */
            id?: string | null;
            /** @description Made by the server; ignored in requests. */
            name?: unknown;
            /**
             * @description Which carrier, by handle: `sandbox`, `own`, `dhl_express`, `dhl_parcel_de`, `easypost`, `royal_mail`, `ups` or `usps`. Give this or the `id`.
             * @example sandbox
             */
            handle?: string | null;
        };
        /** @description The carrier that the contract is with, by its `id` or its `handle`. It can't change later. */
        CarrierNamePatch: {
            /** @description The id that `GET /carriers` lists. Give this or the `handle`, which is easier to read. */
            id?: string | null;
            /** @description Made by the server; ignored in requests. */
            name?: unknown;
            /**
             * @description Which carrier, by handle: `sandbox`, `own`, `dhl_express`, `dhl_parcel_de`, `easypost`, `royal_mail`, `ups` or `usps`. Give this or the `id`.
             * @example sandbox
             */
            handle?: string | null;
        };
        /** @description The carrier, as it was named when this was written. */
        CarrierReference: {
            /** @description The same in every organisation. Where a carrier is asked for, its `handle` does as well. */
            id: string;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name: string;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
        };
        /** @description What a carrier offers. */
        CarrierService: {
            /** @description The same in every organisation. Where a service is asked for, its `handle` does as well. */
            id: string;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name: string;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle: string;
            /**
             * @description A sentence for people who choose between several.
             * @example A carrier for tests.
             */
            description: string;
        };
        /** @description The carrier's service, as it was named when this was written. */
        CarrierServiceReference: {
            /** @description The same in every organisation. Where a service is asked for, its `handle` does as well. */
            id: string;
            /**
             * @description The name to show to people. It may change; programs use the handle.
             * @example Sandbox
             */
            name: string;
            /**
             * @description A short name for programs that never changes, such as `sandbox` or `standard`. Accepted wherever an id is.
             * @example sandbox
             */
            handle?: string | null;
        };
        /** @description What the shipment is, or will be, bought as. Null until a service is chosen. */
        ChosenService: {
            /** @description The rate that it is bought by, among `rates`. Null until it is bought if an account and a service were named instead. */
            rate?: string | null;
            /** @description The carrier that collects the parcel and is paid for it. */
            carrier: components["schemas"]["CarrierReference"];
            /** @description The carrier's service, which says how fast it travels. */
            carrier_service: components["schemas"]["CarrierServiceReference"];
            /** @description The contract with the carrier that the purchase is charged to. */
            carrier_account: components["schemas"]["CarrierAccountReference"];
        };
        /** @description A document of the claimed job, in the order in which they are printed. */
        ClaimedDocument: {
            /** @description Made with the file. Asking for the same labels again gives the same documents, with the same ids. */
            id: string;
            /**
             * @description The media type, such as `application/zpl`.
             * @example application/zpl
             */
            file_type: string;
            /**
             * Format: int64
             * @description Its length in bytes, to notice an answer that was cut off. Null for a file that is converted: it is made when you fetch it.
             * @example 1024
             */
            file_size?: number | null;
        };
        /**
         * @description At this time all parcels that leave from the origin location and are in no manifest yet are manifested, once.
         * @example {
         *       "time": "17:30",
         *       "time_zone": "Europe/London",
         *       "days": [
         *         "mon",
         *         "tue",
         *         "wed",
         *         "thu",
         *         "fri"
         *       ]
         *     }
         */
        Closing: {
            /**
             * @description Hours and minutes of a 24-hour clock, `HH:MM`, in the time zone beside it.
             * @example 17:30
             */
            time: string;
            /**
             * @description An IANA name, such as `Europe/London`. Summer time is followed: a time that is skipped comes an hour later, one that comes twice counts once.
             * @example Europe/London
             */
            time_zone: string;
            /**
             * @description The days on which parcels are closed out. Without it, every day.
             * @example [
             *       "mon",
             *       "tue",
             *       "wed",
             *       "thu",
             *       "fri"
             *     ]
             */
            days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | null;
        };
        /**
         * @description At this time all parcels that leave from the origin location and are in no manifest yet are manifested, once.
         * @example {
         *       "time": "17:30",
         *       "time_zone": "Europe/London",
         *       "days": [
         *         "mon",
         *         "tue",
         *         "wed",
         *         "thu",
         *         "fri"
         *       ]
         *     }
         */
        ClosingInput: {
            /**
             * @description Hours and minutes of a 24-hour clock, `HH:MM`, in the time zone beside it.
             * @example 17:30
             */
            time: string;
            /**
             * @description An IANA name, such as `Europe/London`. Summer time is followed: a time that is skipped comes an hour later, one that comes twice counts once.
             * @example Europe/London
             */
            time_zone: string;
            /**
             * @description The days on which parcels are closed out. Without it, every day.
             * @example [
             *       "mon",
             *       "tue",
             *       "wed",
             *       "thu",
             *       "fri"
             *     ]
             */
            days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | null;
        };
        /**
         * @description The person or firm at the address, as it is printed on labels and told to carriers. Labels and carriers name the sender by it.
         * @example {
         *       "name": "Goods in",
         *       "email_address": "depot@example.com"
         *     }
         */
        Contact: {
            /** @description The person or desk. On a label it is the first line; without it, `company` is. */
            name?: string | null;
            /** @description Printed below the name, or in its place where there is none. */
            company?: string | null;
            /**
             * @description Passed on to carriers that notify the recipient. Never printed.
             * @example depot@example.com
             */
            email_address?: string | null;
            /** @description Printed on customs papers and passed on to carriers, some of which demand it. Include the country's prefix. */
            phone_number?: string | null;
        };
        /**
         * @description The person or firm at the address, as it is printed on labels and told to carriers. Labels and carriers name the sender by it.
         * @example {
         *       "name": "Goods in",
         *       "email_address": "depot@example.com"
         *     }
         */
        ContactInput: {
            /** @description The person or desk. On a label it is the first line; without it, `company` is. */
            name?: string | null;
            /** @description Printed below the name, or in its place where there is none. */
            company?: string | null;
            /**
             * @description Passed on to carriers that notify the recipient. Never printed.
             * @example depot@example.com
             */
            email_address?: string | null;
            /** @description Printed on customs papers and passed on to carriers, some of which demand it. Include the country's prefix. */
            phone_number?: string | null;
        };
        /** @description Where the address is on the globe. Plans measure distances with it; where it is missing, the post code is looked up. */
        Coordinates: {
            /**
             * Format: double
             * @description Degrees north of the equator (WGS 84); negative in the south.
             * @example 51.4494
             */
            latitude: number;
            /**
             * Format: double
             * @description Degrees east of Greenwich (WGS 84); negative in the west.
             * @example -2.5979
             */
            longitude: number;
            /**
             * Format: double
             * @description How well the coordinates represent the address, from 0 to 1. Set by the server: 1 where a client gave them. Plans show it with each distance.
             * @example 1
             */
            confidence?: number | null;
        };
        /** @description Where the address is on the globe. Plans measure distances with it; where it is missing, the post code is looked up. */
        CoordinatesInput: {
            /**
             * Format: double
             * @description Degrees north of the equator (WGS 84); negative in the south.
             * @example 51.4494
             */
            latitude: number;
            /**
             * Format: double
             * @description Degrees east of Greenwich (WGS 84); negative in the west.
             * @example -2.5979
             */
            longitude: number;
            /** @description Made by the server; ignored in requests. */
            confidence?: unknown;
        };
        /** @description A company that charged. */
        CostCarrier: {
            /**
             * @description By which requests name the carrier, such as `carrier=` of `GET /shipments`.
             * @example sandbox
             */
            handle: string;
            /**
             * @description What people call the company.
             * @example Sandbox
             */
            name: string;
        };
        /** @description The sums of shipments that have day, carrier, service and location in common, as far as the report is grouped by them, in one currency. */
        CostGroup: {
            /**
             * @description The day of the purchase in the organisation's time zone. Null unless the report is grouped by day.
             * @example 2026-11-01
             */
            day?: string | null;
            /** @description Who charged. Null unless the report is grouped by carrier or service. */
            carrier?: components["schemas"]["CostCarrier"] | null;
            /** @description What was bought there. Null unless the report is grouped by service. */
            service?: components["schemas"]["CostService"] | null;
            /** @description The location that the shipments leave from. Null unless the report is grouped by location, and for shipments whose origin was given as an address. */
            location?: components["schemas"]["CostLocation"] | null;
            /** @description The currency of the sums (ISO 4217); sums of different currencies are never added. Null for shipments of which the carrier stated no amount: they are counted, and their sums are 0. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * Format: int64
             * @description What carriers charged for the shipments that were bought, voided ones and labels that were bought twice included, in the smallest unit of the currency.
             * @example 151900
             */
            charged: number;
            /**
             * Format: int64
             * @description What carriers gave back of `charged`: for voided shipments, and for labels that were bought twice and taken back.
             * @example 2100
             */
            voided: number;
            /**
             * Format: int64
             * @description `charged` less `voided`: what remains to be paid.
             * @example 149800
             */
            net: number;
            /**
             * Format: int64
             * @description Shipments that were bought, those that were voided later included.
             * @example 214
             */
            shipments_count: number;
            /**
             * Format: int64
             * @description Bought shipments whose label the carrier has taken back since.
             * @example 3
             */
            voided_count: number;
            /**
             * Format: int64
             * @description Labels that a carrier sold twice for one of these shipments. Their amounts are in `charged`, and in `voided` once the carrier took them back.
             * @example 0
             */
            duplicates_count: number;
        };
        /** @description A place that parcels left from. */
        CostLocation: {
            /** @description Made when the location is created. It stays when the name or the address changes. */
            id: string;
            /**
             * @description What the location is called now. Null if it was deleted since.
             * @example Main warehouse
             */
            name?: string | null;
        };
        /** @description What carriers charged for the shipments that were bought on some days, and what they gave back. */
        CostReport: {
            /**
             * @description The first day of which purchases are counted, 29 days before `to` if the request names none.
             * @example 2026-11-01
             */
            from: string;
            /**
             * @description The last day of the report, which is included.
             * @example 2026-11-01
             */
            to: string;
            /**
             * @description In which zone the days begin: the organisation's, as `GET /organisation` shows it.
             * @example Europe/London
             */
            time_zone: string;
            /** @description What the groups are made by, each once. `service` brings `carrier` with it, because services of two carriers may have the same handle. */
            group_by: ("day" | "carrier" | "service" | "location")[];
            /** @description The sums of the whole report, one entry for each currency. */
            totals: components["schemas"]["CostTotal"][];
            /** @description One entry for each group and currency in which something was bought, by day, carrier, service, location and currency. What is null comes first. */
            groups: components["schemas"]["CostGroup"][];
            /**
             * Format: date-time
             * @description When the sums were taken, all in one snapshot of the database.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
        };
        /** @description What was bought of a carrier. */
        CostService: {
            /**
             * @description By which purchases name the service. It is unique within its carrier.
             * @example standard
             */
            handle: string;
            /**
             * @description What the carrier calls the service. Its handle, if the service is no longer known.
             * @example Standard
             */
            name: string;
        };
        /** @description The sums of all groups in one currency. */
        CostTotal: {
            /** @description The currency of the sums (ISO 4217); sums of different currencies are never added. Null for shipments of which the carrier stated no amount: they are counted, and their sums are 0. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * Format: int64
             * @description What carriers charged for the shipments that were bought, voided ones and labels that were bought twice included, in the smallest unit of the currency.
             * @example 151900
             */
            charged: number;
            /**
             * Format: int64
             * @description What carriers gave back of `charged`: for voided shipments, and for labels that were bought twice and taken back.
             * @example 2100
             */
            voided: number;
            /**
             * Format: int64
             * @description `charged` less `voided`: what remains to be paid.
             * @example 149800
             */
            net: number;
            /**
             * Format: int64
             * @description Shipments that were bought, those that were voided later included.
             * @example 214
             */
            shipments_count: number;
            /**
             * Format: int64
             * @description Bought shipments whose label the carrier has taken back since.
             * @example 3
             */
            voided_count: number;
            /**
             * Format: int64
             * @description Labels that a carrier sold twice for one of these shipments. Their amounts are in `charged`, and in `voided` once the carrier took them back.
             * @example 0
             */
            duplicates_count: number;
        };
        /** @description Your own text and barcodes on labels that Dockside draws. A carrier's own label stays as it came. */
        CustomData: {
            /** @description Up to three lines of text, such as an order number. */
            text_lines?: string[] | null;
            /** @description A word before each of `text_lines`, in the same order. */
            line_codes?: string[] | null;
            /** @description Up to three texts as Code 128. What does not fit, or is not ASCII, is printed as text instead. */
            barcodes?: string[] | null;
        };
        /** @description Your own text and barcodes on labels that Dockside draws. A carrier's own label stays as it came. */
        CustomDataInput: {
            /** @description Up to three lines of text, such as an order number. */
            text_lines?: string[] | null;
            /** @description A word before each of `text_lines`, in the same order. */
            line_codes?: string[] | null;
            /** @description Up to three texts as Code 128. What does not fit, or is not ASCII, is printed as text instead. */
            barcodes?: string[] | null;
        };
        /**
         * @description The person or firm that bought. May differ from the recipient, who is in `destination.contact`.
         * @example {
         *       "name": "Ann Miller",
         *       "email_address": "ann@example.com"
         *     }
         */
        Customer: {
            /** @description The person. `GET /orders?customer=` finds the order by it, whatever its case. */
            name?: string | null;
            /** @description The firm. `GET /orders?customer=` finds the order by it as well. */
            company?: string | null;
            /**
             * @description Where the customer is reached. `GET /orders?email_address=` finds the order by it. Dockside sends nothing to it.
             * @example depot@example.com
             */
            email_address?: string | null;
            /** @description Include the country's prefix. Kept and shown; carriers get the number of the destination's contact. */
            phone_number?: string | null;
        };
        /**
         * @description The person or firm that bought. May differ from the recipient, who is in `destination.contact`.
         * @example {
         *       "name": "Ann Miller",
         *       "email_address": "ann@example.com"
         *     }
         */
        CustomerInput: {
            /** @description The person. `GET /orders?customer=` finds the order by it, whatever its case. */
            name?: string | null;
            /** @description The firm. `GET /orders?customer=` finds the order by it as well. */
            company?: string | null;
            /**
             * @description Where the customer is reached. `GET /orders?email_address=` finds the order by it. Dockside sends nothing to it.
             * @example depot@example.com
             */
            email_address?: string | null;
            /** @description Include the country's prefix. Kept and shown; carriers get the number of the destination's contact. */
            phone_number?: string | null;
        };
        /** @description What customs are told. Needed where the shipment leaves a customs territory. */
        Customs: {
            contents_type?: ("documents" | "gift" | "merchandise" | "returned_goods" | "sample" | "dangerous_goods" | "humanitarian_donation" | "other") | null;
            /** @description What is inside, in a sentence. Customs papers show it where there are no `items`. */
            contents_description?: string | null;
            declarant?: components["schemas"]["Declarant"] | null;
            incoterm?: ("EXW" | "FCA" | "CPT" | "CIP" | "DAP" | "DPU" | "DDP" | "FAS" | "FOB" | "CFR" | "CIF" | "DAT" | "DDU" | "DAF" | "DEQ" | "DES") | null;
            restriction_type?: ("none" | "other" | "quarantine" | "sanitary_phytosanitary_inspection") | null;
            /** @description What the restriction is. Required unless `restriction_type` is `none`. */
            restriction_description?: string | null;
            /** @description A statement of your own for customs, printed on their papers. */
            declaration_message?: string | null;
            /** @description What is inside, line by line; value and mass are of the whole line. */
            items?: components["schemas"]["CustomsItem"][] | null;
            /** @description Registrations with customs of sender, recipient or importer, for this declaration. */
            identifiers?: components["schemas"]["CustomsIdentifier"][] | null;
        };
        /** @description A registration number with customs. */
        CustomsIdentifier: {
            /**
             * @description The party that is registered under the number.
             * @example sender
             * @enum {string}
             */
            entity_type: "sender" | "recipient" | "importer_of_record";
            /**
             * @description The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked.
             * @example ioss
             * @enum {string}
             */
            identifier_type: "ioss" | "vat" | "eori" | "ein" | "ssn" | "tin" | "gst" | "pan" | "voec" | "pccc" | "oss" | "passport" | "abn" | "ird" | "arn" | "ukims" | "cnp" | "national_id" | "other";
            /**
             * @description The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits.
             * @example IM0123456789
             */
            value: string;
            /** @description The country whose authority issued the number (ISO 3166-1 alpha-2). */
            issuing_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
        };
        /** @description A registration number with customs. */
        CustomsIdentifierInput: {
            /**
             * @description The party that is registered under the number.
             * @example sender
             * @enum {string}
             */
            entity_type: "sender" | "recipient" | "importer_of_record";
            /**
             * @description The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked.
             * @example ioss
             * @enum {string}
             */
            identifier_type: "ioss" | "vat" | "eori" | "ein" | "ssn" | "tin" | "gst" | "pan" | "voec" | "pccc" | "oss" | "passport" | "abn" | "ird" | "arn" | "ukims" | "cnp" | "national_id" | "other";
            /**
             * @description The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits.
             * @example IM0123456789
             */
            value: string;
            /** @description The country whose authority issued the number (ISO 3166-1 alpha-2). */
            issuing_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
        };
        /** @description What customs are told. Needed where the shipment leaves a customs territory. */
        CustomsInput: {
            contents_type?: ("documents" | "gift" | "merchandise" | "returned_goods" | "sample" | "dangerous_goods" | "humanitarian_donation" | "other") | null;
            /** @description What is inside, in a sentence. Customs papers show it where there are no `items`. */
            contents_description?: string | null;
            declarant?: components["schemas"]["DeclarantInput"] | null;
            incoterm?: ("EXW" | "FCA" | "CPT" | "CIP" | "DAP" | "DPU" | "DDP" | "FAS" | "FOB" | "CFR" | "CIF" | "DAT" | "DDU" | "DAF" | "DEQ" | "DES") | null;
            restriction_type?: ("none" | "other" | "quarantine" | "sanitary_phytosanitary_inspection") | null;
            /** @description What the restriction is. Required unless `restriction_type` is `none`. */
            restriction_description?: string | null;
            /** @description A statement of your own for customs, printed on their papers. */
            declaration_message?: string | null;
            /** @description What is inside, line by line; value and mass are of the whole line. */
            items?: components["schemas"]["CustomsItemInput"][] | null;
            /** @description Registrations with customs of sender, recipient or importer, for this declaration. */
            identifiers?: components["schemas"]["CustomsIdentifierInput"][] | null;
        };
        /** @description One line of the declaration: things of one kind. */
        CustomsItem: {
            /**
             * @description What customs officers read: say what it is and what it is made of (`Cotton shirt`, not `Gift` or `SKU 12`).
             * @example Cotton shirt
             */
            description: string;
            /**
             * Format: int64
             * @description Pieces that this line declares; `value` and `mass` are for all of them together.
             * @example 2
             */
            quantity: number;
            /**
             * Format: int64
             * @description What the whole line is worth, in the smallest unit of its currency: two shirts at £12.99 are `2598`. It decides between CN22 and CN23.
             * @example 1299
             */
            value: number;
            /** @description ISO 4217, in capitals. Without it the line has `options.shipping.currency_code`, else the currency of the first item that has one. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * Format: double
             * @description Kilograms of the whole line; kept as whole grams, rounded up.
             * @example 1.2
             */
            mass?: number | null;
            /**
             * @description The customs tariff number: 6, 8 or 10 digits. Many countries refuse parcels without it.
             * @example 610910
             */
            hs_code?: string | null;
            /** @description Where the goods were made (ISO 3166-1 alpha-2), which may differ from where they are sent from. */
            origin_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
            /** @description Your own number of the product. Passed on to carriers that want it as a product code. */
            sku?: string | null;
            /** @description The maker's number of the product, which customs of the European Union ask for. Printed with the description. */
            manufacturer_product_id?: string | null;
            /** @description A number such as a GTIN or EAN, which customs of the European Union ask for. Printed with the description. */
            standardized_product_id?: string | null;
        };
        /** @description One line of the declaration: things of one kind. */
        CustomsItemInput: {
            /**
             * @description What customs officers read: say what it is and what it is made of (`Cotton shirt`, not `Gift` or `SKU 12`).
             * @example Cotton shirt
             */
            description: string;
            /**
             * Format: int64
             * @description Pieces that this line declares; `value` and `mass` are for all of them together.
             * @example 2
             */
            quantity: number;
            /**
             * Format: int64
             * @description What the whole line is worth, in the smallest unit of its currency: two shirts at £12.99 are `2598`. It decides between CN22 and CN23.
             * @example 1299
             */
            value: number;
            /** @description ISO 4217, in capitals. Without it the line has `options.shipping.currency_code`, else the currency of the first item that has one. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * Format: double
             * @description Kilograms of the whole line; kept as whole grams, rounded up.
             * @example 1.2
             */
            mass?: number | null;
            /**
             * @description The customs tariff number: 6, 8 or 10 digits. Many countries refuse parcels without it.
             * @example 610910
             */
            hs_code?: string | null;
            /** @description Where the goods were made (ISO 3166-1 alpha-2), which may differ from where they are sent from. */
            origin_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
            /** @description Your own number of the product. Passed on to carriers that want it as a product code. */
            sku?: string | null;
            /** @description The maker's number of the product, which customs of the European Union ask for. Printed with the description. */
            manufacturer_product_id?: string | null;
            /** @description A number such as a GTIN or EAN, which customs of the European Union ask for. Printed with the description. */
            standardized_product_id?: string | null;
        };
        /** @description How much happened on one calendar day. */
        DayCount: {
            /**
             * @description A calendar day in the organisation's time zone.
             * @example 2026-11-18
             */
            date: string;
            /**
             * Format: int64
             * @description Shipments bought that day, those that were voided later included.
             * @example 214
             */
            count: number;
        };
        /** @description Terms of a parcel that crosses a border: copied into `customs` of the shipment. What no rule sets is null. */
        DecidedCustoms: {
            incoterm?: ("EXW" | "FCA" | "CPT" | "CIP" | "DAP" | "DPU" | "DDP" | "FAS" | "FOB" | "CFR" | "CIF" | "DAT" | "DDU" | "DAF" | "DEQ" | "DES") | null;
            contents_type?: ("documents" | "gift" | "merchandise" | "returned_goods" | "sample" | "dangerous_goods" | "humanitarian_donation" | "other") | null;
        };
        /** @description How the label is drawn: copied into `options.label` of the shipment. What no rule sets is null. */
        DecidedLabelOptions: {
            format?: ("png" | "zpl" | "pdf") | null;
        };
        /** @description In the form of a shipment's `options`. What no rule sets is null. */
        DecidedOptions: {
            shipping: components["schemas"]["DecidedShippingOptions"];
            label: components["schemas"]["DecidedLabelOptions"];
            /** @description The cover that `insure_from` asks for. */
            insurance?: components["schemas"]["Insurance"] | null;
        };
        /** @description How the carrier handles the parcel: copied into `options.shipping` of the shipment. What no rule sets is null. */
        DecidedShippingOptions: {
            signature_type?: ("standard" | "adult" | "direct" | "indirect" | "certified" | "carrier_confirmation" | "none") | null;
            /**
             * @description Sets `options.shipping.saturday_delivery`: `true` asks for delivery on a Saturday, which costs extra.
             * @example true
             */
            saturday_delivery?: boolean | null;
        };
        /** @description The person who signs the declaration for the sender. */
        Declarant: {
            /** @description Printed as the signatory on customs papers. */
            name?: string | null;
            /**
             * @description `true`: the declarant stands for what is declared. Told to carriers that demand it.
             * @example true
             */
            certify?: boolean | null;
            /**
             * Format: date-time
             * @description The day that is printed beside the signature.
             * @example 2026-11-01T09:30:00.000000Z
             */
            date?: string | null;
        };
        /** @description The person who signs the declaration for the sender. */
        DeclarantInput: {
            /** @description Printed as the signatory on customs papers. */
            name?: string | null;
            /**
             * @description `true`: the declarant stands for what is declared. Told to carriers that demand it.
             * @example true
             */
            certify?: boolean | null;
            /**
             * Format: date-time
             * @description The day that is printed beside the signature.
             * @example 2026-11-01T09:30:00.000000Z
             */
            date?: string | null;
        };
        /** @description Where the order goes. Plans measure distances to it; shipments are given their own destination. */
        Destination: {
            /** @description A short name of the address for your screens. */
            display_name?: string | null;
            /** @description Street, town and country of the recipient. */
            address: components["schemas"]["ShipmentPostalAddress"];
            /** @description The person or firm that receives the goods; a phone number helps the driver. */
            contact?: components["schemas"]["Contact"] | null;
            /** @description Where it is on the globe. Plans measure from here; without it they go by the post code. */
            coordinates?: components["schemas"]["Coordinates"] | null;
        };
        /** @description Where the order goes. Plans measure distances to it; shipments are given their own destination. */
        DestinationInput: {
            /** @description A short name of the address for your screens. */
            display_name?: string | null;
            /** @description Street, town and country of the recipient. */
            address: components["schemas"]["ShipmentPostalAddressInput"];
            /** @description The person or firm that receives the goods; a phone number helps the driver. */
            contact?: components["schemas"]["ContactInput"] | null;
            /** @description Where it is on the globe. Plans measure from here; without it they go by the post code. */
            coordinates?: components["schemas"]["CoordinatesInput"] | null;
        };
        /**
         * @description Ranges of the sides of the largest package; of an order that is not packed, of its largest item. The sides are sorted, so it does not matter which way round they were measured.
         * @example {
         *       "length": {
         *         "max": 60
         *       }
         *     }
         */
        DimensionRanges: {
            /** @description Centimetres of the longest edge, however the parcel is turned. */
            length?: components["schemas"]["SideRange"] | null;
            /** @description The range of the second longest side. */
            width?: components["schemas"]["SideRange"] | null;
            /** @description Centimetres of the shortest edge, however the parcel is turned. */
            height?: components["schemas"]["SideRange"] | null;
        };
        /**
         * @description Ranges of the sides of the largest package; of an order that is not packed, of its largest item. The sides are sorted, so it does not matter which way round they were measured.
         * @example {
         *       "length": {
         *         "max": 60
         *       }
         *     }
         */
        DimensionRangesInput: {
            /** @description Centimetres of the longest edge, however the parcel is turned. */
            length?: components["schemas"]["SideRangeInput"] | null;
            /** @description The range of the second longest side. */
            width?: components["schemas"]["SideRangeInput"] | null;
            /** @description Centimetres of the shortest edge, however the parcel is turned. */
            height?: components["schemas"]["SideRangeInput"] | null;
        };
        /** @description The sides of one piece in centimetres; all three or none. */
        Dimensions: {
            /**
             * Format: double
             * @description The longest side of one piece, in centimetres.
             * @example 30
             */
            length: number;
            /**
             * Format: double
             * @description The second side of one piece, in centimetres.
             * @example 30
             */
            width: number;
            /**
             * Format: double
             * @description The third side of one piece, in centimetres.
             * @example 30
             */
            height: number;
        };
        /** @description The sides of one piece in centimetres; all three or none. */
        DimensionsInput: {
            /**
             * Format: double
             * @description The longest side of one piece, in centimetres.
             * @example 30
             */
            length: number;
            /**
             * Format: double
             * @description The second side of one piece, in centimetres.
             * @example 30
             */
            width: number;
            /**
             * Format: double
             * @description The third side of one piece, in centimetres.
             * @example 30
             */
            height: number;
        };
        /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
        Document: {
            /** @description Made with the file. Asking for the same labels again gives the same documents, with the same ids. */
            id: string;
            /**
             * @description What the paper is for: a `label`, all `labels` of a batch in one file, a customs paper, a `manifest` to be signed, a `packing_slip` for the box, all `packing_slips` of a batch in one file, a `pick_list` of what to collect, or all `papers` of a shipment or a batch in one file.
             * @example label
             * @enum {string}
             */
            type: "label" | "labels" | "return_label" | "commercial_invoice" | "cn22" | "cn23" | "packing_slip" | "manifest" | "pick_list" | "packing_slips" | "papers";
            /** @description Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages. */
            shipment_id?: string | null;
            /**
             * Format: int64
             * @description The number of the package that the file is for, from 1 on, in the order of the shipment's `packages`. Null for a file that is not for one package: customs papers, a PDF with the labels of several packages, files of a batch or a manifest.
             * @example 1
             */
            package?: number | null;
            /**
             * @description What it is called when it is saved: the shipment's `name`, or its id where it has none, and what it is.
             * @example ORD-10042-1.pdf
             */
            file_name: string;
            /**
             * @description The media type, such as `application/pdf`, `image/png` or `application/zpl`.
             * @example application/pdf
             */
            file_type: string;
            /**
             * Format: int64
             * @description Bytes of the file, to show a download's progress.
             * @example 26411
             */
            file_size: number;
            /**
             * @description Fetches the file without a token, for an hour unless the operator set another time. Read the document again for a new link.
             * @example https://dockside.example.com/files/Zm9v
             */
            file_url: string;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description The two locations that a shipment copies its origin and its return address from. */
        EmbeddedLocations: {
            /** @description Where parcels leave from: printed as the sender, and what distances and closing times go by. */
            origin: components["schemas"]["Location"];
            /** @description Where a parcel goes that can't be delivered. May be the same location as the origin. */
            return: components["schemas"]["Location"];
        };
        /** @description Something that happened, in the order of commits. */
        Event: {
            /** @description The same wherever the event is seen: in the log, in a stream, and as the `webhook-id` of its deliveries. Use it to drop what comes twice. */
            id: string;
            /**
             * Format: int64
             * @description The event's number in the organisation's log: from 1, without gaps, in the order of commits. Read on with `GET /events?after=`.
             * @example 1
             */
            sequence: number;
            /**
             * @description What happened to what.
             *
             *     - `location.created`: A location was created.
             *     - `location.updated`: A location was changed.
             *     - `location.deleted`: A location was deleted.
             *     - `location_configuration.created`: A location configuration was created.
             *     - `location_configuration.updated`: A location configuration was changed.
             *     - `location_configuration.deleted`: A location configuration was deleted.
             *     - `inventory_item.created`: An inventory item was created.
             *     - `inventory_item.updated`: An inventory item was changed.
             *     - `inventory_item.deleted`: An inventory item was deleted.
             *     - `inventory.updated`: The stock of an item at a location changed.
             *     - `order.created`: An order was created.
             *     - `order.updated`: An order was changed.
             *     - `order.committed`: An order was committed, and its items are reserved.
             *     - `order.cancelled`: An order was cancelled.
             *     - `order.fulfilled`: The last of an order was completed.
             *     - `order.deleted`: An order was deleted.
             *     - `order.held`: An order was put on hold: it is not planned until it is released.
             *     - `order.released`: An order is no longer on hold.
             *     - `order.exception_raised`: An order got an exception that a person should look at.
             *     - `order.exception_resolved`: A person resolved an exception of an order.
             *     - `reservation.created`: The items of an order are reserved.
             *     - `reservation.updated`: What an order reserves, or how much of it is allocated, changed.
             *     - `reservation.deleted`: The items of an order are not reserved any more.
             *     - `allocation.created`: Items of an order were assigned to a location.
             *     - `allocation.updated`: An allocation was changed.
             *     - `allocation.completed`: The items of an allocation have left.
             *     - `allocation.reopened`: The shipment that completed an allocation was voided, so the allocation is open again.
             *     - `allocation.deleted`: An allocation was taken back.
             *     - `package_type.created`: A package type was created.
             *     - `package_type.updated`: A package type was changed.
             *     - `package_type.deleted`: A package type was deleted.
             *     - `shipment.created`: A shipment was created.
             *     - `shipment.updated`: A shipment was changed, or its purchase began, or it got a label.
             *     - `shipment.rated`: Carriers said what they would take a shipment for.
             *     - `shipment.purchased`: A shipment was bought.
             *     - `shipment.purchase_failed`: A shipment was not bought; its errors say why.
             *     - `shipment.voided`: A carrier took a shipment back.
             *     - `shipment.packed`: Scans have counted the last unit of a shipment. Told again if a scan is undone and the shipment becomes complete once more.
             *     - `shipment.handed_over`: The carrier has a shipment, as a manifest, tracking or a request says.
             *     - `shipment.deleted`: A shipment was deleted.
             *     - `tracking.updated`: A shipment has come further on its way.
             *     - `purchase_attempt.needs_review`: It is unknown whether a shipment was bought: a person must check with the carrier.
             *     - `purchase_attempt.resolved`: A person said what became of a purchase whose outcome was unknown.
             *     - `batch.created`: A batch was created.
             *     - `batch.updated`: A batch was changed, or some of its shipments; while it is purchased, told of now and then.
             *     - `batch.purchase_started`: A batch began to be purchased.
             *     - `batch.purchased`: All of a batch was purchased: it is finalised.
             *     - `batch.purchase_failed`: Some of a batch was not purchased, or nothing of it; its errors say why.
             *     - `batch.labels_ready`: The last label that a carrier delivered late is there: no label of the batch is pending.
             *     - `batch.labels_created`: The labels of a batch are there, in one file too.
             *     - `batch.manifested`: The shipments of a batch were manifested.
             *     - `batch.deleted`: A batch was deleted; its shipments were not.
             *     - `manifest.created`: A carrier took a manifest.
             *     - `manifest.failed`: A carrier did not take a manifest; its messages say why.
             *     - `shipping_rule.created`: A shipping rule was created.
             *     - `shipping_rule.updated`: A shipping rule was changed, or moved to another position.
             *     - `shipping_rule.deleted`: A shipping rule was deleted.
             *     - `printer.created`: A printer was created.
             *     - `printer.updated`: A printer was changed.
             *     - `printer.deleted`: A printer was deleted.
             *     - `print_job.created`: A print job was made, and waits for its turn.
             *     - `print_job.updated`: A print job is sent, printed, failed, uncertain, cancelled, or waits for another try.
             *     - `wave.created`: A wave was started, and waits for its turn.
             *     - `wave.updated`: A wave began, came further, is tried again or is to end; told at most four times a second.
             *     - `wave.completed`: All orders of a wave were processed; its exceptions say which were not, and why.
             *     - `import.created`: An import was made.
             *     - `import.updated`: An import got its file, began, or came further; told at most four times a second.
             *     - `import.completed`: All rows of an import were read; its counts say what came of them.
             *     - `import.failed`: An import ended early; its error says why. Rows before that stay.
             *     - `import.cancelled`: An import was ended by a request, or got no file within 24 hours. Rows before that stay.
             *     - `wave.cancelled`: A wave was ended before all of its orders were processed. What exists stays.
             *     - `user.created`: A user was invited.
             *     - `user.updated`: A user was changed, enabled again, or has set a password.
             *     - `user.disabled`: A user was disabled: their sessions and access tokens work no more.
             *     - `user.deleted`: A user was deleted, with their sessions and access tokens.
             *     - `passkey.created`: A user added a passkey, with which they can sign in from now on.
             *     - `passkey.deleted`: A passkey was deleted, and can't be used to sign in any more.
             *     - `role.created`: A role was created.
             *     - `role.updated`: A role was changed, and with it what its users may do.
             *     - `role.deleted`: A role was deleted.
             *     - `organisation.updated`: What the organisation has set was changed, or its branding.
             *     - `webhook_endpoint.disabled`: A webhook endpoint was switched off, because it failed for too long or asked for it.
             * @example location.created
             */
            type: string;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /** @description Who or what did it. Null in events from before this was recorded. */
            actor?: components["schemas"]["Actor"] | null;
            data: components["schemas"]["EventData"];
            /** @description The fields that an update changed, with the values they had before. Null where nothing was updated. */
            previous_attributes?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description Holds the resource as the event left it, so that you need not fetch it. */
        EventData: {
            /** @description The resource, as its own endpoint shows it; what was deleted, as it last was. */
            object: {
                [key: string]: unknown;
            };
        };
        /** @description How far the order is. The server computes it from the allocations, in the transaction that changes them. */
        Fulfilment: {
            /**
             * @description How far the order is, counted in pieces: `partially_…` means some of them, the others mean all. `shipped` and later steps mean that the order is `fulfilled`.
             * @example partially_allocated
             * @enum {string}
             */
            status: "unallocated" | "partially_allocated" | "allocated" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered";
            /**
             * Format: int64
             * @description Pieces in open and completed allocations of the order, all items together.
             * @example 1
             */
            allocated_quantity: number;
            /**
             * Format: int64
             * @description Pieces in completed allocations: they have left.
             * @example 0
             */
            shipped_quantity: number;
            /**
             * Format: int64
             * @description Pieces in completed allocations whose shipments the carriers report as delivered.
             * @example 0
             */
            delivered_quantity: number;
            /**
             * Format: int64
             * @description Pieces that came back. Always 0 so far: returns are not counted yet.
             * @example 0
             */
            returned_quantity: number;
            /** @description The first 100 shipments that were made from the order, voided ones as well. */
            shipment_ids: string[];
        };
        /**
         * @description How large and how heavy. Carriers price it by these; length, width and height go together.
         * @example {
         *       "length": 30,
         *       "width": 20,
         *       "height": 10,
         *       "mass": 1.2
         *     }
         */
        Geometry: {
            /**
             * Format: double
             * @description The longest side in centimetres; kept as whole millimetres, rounded up.
             * @example 30
             */
            length?: number | null;
            /**
             * Format: double
             * @description The second side in centimetres; kept as whole millimetres, rounded up.
             * @example 30
             */
            width?: number | null;
            /**
             * Format: double
             * @description The third side in centimetres; kept as whole millimetres, rounded up.
             * @example 30
             */
            height?: number | null;
            /**
             * Format: double
             * @description Kilograms with the packaging; kept as whole grams, rounded up. Required unless a `predefined_package_code` is given.
             * @example 1.2
             */
            mass?: number | null;
        };
        /**
         * @description How large and how heavy. Carriers price it by these; length, width and height go together.
         * @example {
         *       "length": 30,
         *       "width": 20,
         *       "height": 10,
         *       "mass": 1.2
         *     }
         */
        GeometryInput: {
            /**
             * Format: double
             * @description The longest side in centimetres; kept as whole millimetres, rounded up.
             * @example 30
             */
            length?: number | null;
            /**
             * Format: double
             * @description The second side in centimetres; kept as whole millimetres, rounded up.
             * @example 30
             */
            width?: number | null;
            /**
             * Format: double
             * @description The third side in centimetres; kept as whole millimetres, rounded up.
             * @example 30
             */
            height?: number | null;
            /**
             * Format: double
             * @description Kilograms with the packaging; kept as whole grams, rounded up. Required unless a `predefined_package_code` is given.
             * @example 1.2
             */
            mass?: number | null;
        };
        /** @description Why an order is held. A held order is not planned; allocations that you make yourself are allowed. */
        Hold: {
            /**
             * @description Why the order is held, in your own words, such as `address_check`. The server itself writes `unknown_sku` while a line matches no inventory item.
             * @example address_check
             */
            reason: string;
            /**
             * Format: date-time
             * @description When the server ends the hold by itself. Without it, the hold ends with `POST /orders/{order_id}/release`.
             * @example 2026-11-01T09:30:00.000000Z
             */
            until?: string | null;
        };
        /** @description Why an order is held. A held order is not planned; allocations that you make yourself are allowed. */
        HoldInput: {
            /**
             * @description Why the order is held, in your own words, such as `address_check`. The server itself writes `unknown_sku` while a line matches no inventory item.
             * @example address_check
             */
            reason: string;
            /**
             * Format: date-time
             * @description When the server ends the hold by itself. Without it, the hold ends with `POST /orders/{order_id}/release`.
             * @example 2026-11-01T09:30:00.000000Z
             */
            until?: string | null;
        };
        /**
         * @description A file whose rows become resources.
         * @example {
         *       "type": "orders",
         *       "format": "csv",
         *       "options": {
         *         "on_conflict": "update"
         *       }
         *     }
         */
        Import: {
            /** @description Made with the request. Its file is sent, and its errors are found, under it. */
            id: string;
            /**
             * @description What the rows become. The token also needs the scope to write these, such as `orders:write`.
             * @example orders
             * @enum {string}
             */
            type: "orders" | "inventory_items" | "inventory_levels" | "locations" | "package_types" | "shipments";
            format?: ("csv" | "ndjson") | null;
            /**
             * @description What columns of the file mean, by their headers. Only needed where a header is not recognised, or wrongly: `columns` shows what each is taken for.
             * @example {
             *       "Bestellnummer": "reference"
             *     }
             */
            mapping?: {
                [key: string]: string;
            } | null;
            options?: components["schemas"]["ImportOptions"] | null;
            /**
             * @description `awaiting_content` until its file is there (after 24 hours without one it is `cancelled`), `queued` until work on it begins, `running` meanwhile. Then `completed`, also if rows were refused; `failed` if the file can't be used, or if it was to stop at an error; `cancelled` by a request.
             * @example completed
             * @enum {string}
             */
            status: "awaiting_content" | "queued" | "running" | "completed" | "failed" | "cancelled";
            file?: components["schemas"]["ImportFile"] | null;
            /** @description What each column of the file is taken for, in their order. Empty until work on it begins. Correct it with `mapping` in a new import. */
            columns: components["schemas"]["ImportColumn"][];
            /**
             * Format: int64
             * @description How far into the file work has come. Compare it with `file.size` for a progress bar.
             * @example 0
             */
            bytes_read: number;
            /**
             * Format: int64
             * @description Lines of the table that were read so far, the header not counted.
             * @example 0
             */
            rows_count: number;
            /**
             * Format: int64
             * @description Resources that were not there before. Several rows may make one order.
             * @example 0
             */
            created_count: number;
            /**
             * Format: int64
             * @description Resources that existed before and differ now, with `on_conflict: update`.
             * @example 0
             */
            updated_count: number;
            /**
             * Format: int64
             * @description Resources that were there and are already as the file says, with `on_conflict: update`.
             * @example 0
             */
            unchanged_count: number;
            /**
             * Format: int64
             * @description Resources that were there and were left alone, with `on_conflict: skip`.
             * @example 0
             */
            skipped_count: number;
            /**
             * Format: int64
             * @description Resources that were refused: `GET /imports/{import_id}/errors` says why.
             * @example 0
             */
            failed_count: number;
            error?: components["schemas"]["ImportFailure"] | null;
            /**
             * Format: date-time
             * @description When the first row was looked at. Null before.
             * @example 2026-11-01T09:30:00.000000Z
             */
            started_at?: string | null;
            /**
             * Format: date-time
             * @description When it was completed, failed or was cancelled. Null until then.
             * @example 2026-11-01T09:30:00.000000Z
             */
            ended_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A part of each row, and its meaning. */
        ImportColumn: {
            /**
             * @description What the first row of the file calls it, before case and spaces are ignored.
             * @example Order Number
             */
            header: string;
            /**
             * @description What it is taken for, by the name in the template. Null if it is not read.
             * @example reference
             */
            column?: string | null;
        };
        /** @description Why a row of a file was refused. */
        ImportError: {
            /**
             * Format: int64
             * @description Its number as a spreadsheet counts: the header is 1. Lines without any text are not counted.
             * @example 17
             */
            row: number;
            /**
             * @description The header of the column at fault, or the name of the column that is missing. Null if the whole row is.
             * @example quantity
             */
            column?: string | null;
            /**
             * @description The place in the body that the row makes, as a JSON pointer. Null if the whole row is at fault.
             * @example /lines/0/quantity
             */
            field?: string | null;
            /**
             * @description What stands there, at most 200 characters of it. Null if nothing does.
             * @example two
             */
            value?: string | null;
            /**
             * @description Why, for programs: the codes that the same body would be refused with by the API, and `ambiguous_key`, `order_rows_apart`, `rows_differ`, `row_too_large`, `row_not_text`.
             * @example invalid_type
             */
            code: string;
            /**
             * @description Why, in a sentence for a person, with what to do about it.
             * @example Is required.
             */
            message: string;
        };
        /** @description Why the import as a whole failed. Null unless it did. Single rows are in `GET /imports/{import_id}/errors`. */
        ImportFailure: {
            /**
             * @description Why, for programs: `import_column_missing`, `import_empty`, `import_stopped` or `import_too_many_errors`.
             * @example import_column_missing
             */
            code: string;
            /**
             * @description Why, in a sentence for a person, with what to do about it.
             * @example Is required.
             */
            message: string;
        };
        /** @description What was received, and how it is read. Null until then. The file itself is deleted once the import has ended. */
        ImportFile: {
            /**
             * Format: int64
             * @description In bytes, exactly as the request sent them.
             * @example 48210
             */
            size: number;
            /**
             * @description How its text is written in bytes, as its bytes say. Text that is not UTF-8 is taken for Windows-1252.
             * @example utf-8
             * @enum {string}
             */
            encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
            delimiter?: ("," | ";" | "\t") | null;
        };
        /**
         * @description A file whose rows become resources.
         * @example {
         *       "type": "orders",
         *       "format": "csv",
         *       "options": {
         *         "on_conflict": "update"
         *       }
         *     }
         */
        ImportInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What the rows become. The token also needs the scope to write these, such as `orders:write`.
             * @example orders
             * @enum {string}
             */
            type: "orders" | "inventory_items" | "inventory_levels" | "locations" | "package_types" | "shipments";
            format?: ("csv" | "ndjson") | null;
            /**
             * @description What columns of the file mean, by their headers. Only needed where a header is not recognised, or wrongly: `columns` shows what each is taken for.
             * @example {
             *       "Bestellnummer": "reference"
             *     }
             */
            mapping?: {
                [key: string]: string;
            } | null;
            options?: components["schemas"]["ImportOptionsInput"] | null;
            /** @description Made by the server; ignored in requests. */
            status?: unknown;
            /** @description Made by the server; ignored in requests. */
            file?: unknown;
            /** @description Made by the server; ignored in requests. */
            columns?: unknown;
            /** @description Made by the server; ignored in requests. */
            bytes_read?: unknown;
            /** @description Made by the server; ignored in requests. */
            rows_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            unchanged_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            skipped_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            failed_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            error?: unknown;
            /** @description Made by the server; ignored in requests. */
            started_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            ended_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /**
         * @description How rows are treated that exist or are refused, and how numbers are read.
         * @example {
         *       "dry_run": false,
         *       "on_conflict": "update"
         *     }
         */
        ImportOptions: {
            /**
             * @description Whether to only say what would happen: all rows are tried, and nothing is kept. False if you leave it out.
             * @example false
             */
            dry_run?: boolean | null;
            on_conflict?: ("skip" | "update") | null;
            on_error?: ("continue" | "stop") | null;
            /**
             * @description Whose habits numbers follow: with `de-DE`, `1.234,5` is what `1,234.5` is without it.
             * @example de-DE
             */
            locale?: string | null;
        };
        /**
         * @description How rows are treated that exist or are refused, and how numbers are read.
         * @example {
         *       "dry_run": false,
         *       "on_conflict": "update"
         *     }
         */
        ImportOptionsInput: {
            /**
             * @description Whether to only say what would happen: all rows are tried, and nothing is kept. False if you leave it out.
             * @example false
             */
            dry_run?: boolean | null;
            on_conflict?: ("skip" | "update") | null;
            on_error?: ("continue" | "stop") | null;
            /**
             * @description Whose habits numbers follow: with `de-DE`, `1.234,5` is what `1,234.5` is without it.
             * @example de-DE
             */
            locale?: string | null;
        };
        /**
         * @description The room inside, in centimetres. Kept as whole millimetres, rounded down.
         * @example {
         *       "length": 30,
         *       "width": 20,
         *       "height": 15
         *     }
         */
        InnerDimensions: {
            /**
             * Format: double
             * @description The first horizontal side inside, in centimetres.
             * @example 30
             */
            length: number;
            /**
             * Format: double
             * @description The second horizontal side inside, in centimetres.
             * @example 30
             */
            width: number;
            /**
             * Format: double
             * @description The vertical side inside, in centimetres.
             * @example 30
             */
            height: number;
        };
        /**
         * @description The room inside, in centimetres. Kept as whole millimetres, rounded down.
         * @example {
         *       "length": 30,
         *       "width": 20,
         *       "height": 15
         *     }
         */
        InnerDimensionsInput: {
            /**
             * Format: double
             * @description The first horizontal side inside, in centimetres.
             * @example 30
             */
            length: number;
            /**
             * Format: double
             * @description The second horizontal side inside, in centimetres.
             * @example 30
             */
            width: number;
            /**
             * Format: double
             * @description The vertical side inside, in centimetres.
             * @example 30
             */
            height: number;
        };
        /**
         * @description The room inside, in centimetres. Kept as whole millimetres, rounded down.
         * @example {
         *       "length": 30,
         *       "width": 20,
         *       "height": 15
         *     }
         */
        InnerDimensionsPatch: {
            /**
             * Format: double
             * @description The first horizontal side inside, in centimetres.
             * @example 30
             */
            length?: number;
            /**
             * Format: double
             * @description The second horizontal side inside, in centimetres.
             * @example 30
             */
            width?: number;
            /**
             * Format: double
             * @description The vertical side inside, in centimetres.
             * @example 30
             */
            height?: number;
        };
        /** @description The cover you want for the contents while they travel. */
        Insurance: {
            /**
             * Format: int64
             * @description What the contents are worth, in the smallest unit of the currency: `1299` with `GBP` is £12.99.
             * @example 1299
             */
            value: number;
            /** @description ISO 4217, in capitals. Without it, the currency of the shipment (`options.shipping.currency_code`). */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
        };
        /** @description The cover you want for the contents while they travel. */
        InsuranceInput: {
            /**
             * Format: int64
             * @description What the contents are worth, in the smallest unit of the currency: `1299` with `GBP` is £12.99.
             * @example 1299
             */
            value: number;
            /** @description ISO 4217, in capitals. Without it, the currency of the shipment (`options.shipping.currency_code`). */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
        };
        /**
         * @description Insures the contents for what they are worth, if the whole order is worth at least `value`: sets `options.insurance`.
         * @example {
         *       "value": 10000,
         *       "currency_code": "GBP"
         *     }
         */
        InsureFrom: {
            /**
             * Format: int64
             * @description The least order value that is insured, in the smallest unit of the currency. `0` insures every order in this currency.
             * @example 1299
             */
            value: number;
            /**
             * @description The currency of `value` (ISO 4217). Orders in another currency are not insured by this rule.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /**
         * @description Insures the contents for what they are worth, if the whole order is worth at least `value`: sets `options.insurance`.
         * @example {
         *       "value": 10000,
         *       "currency_code": "GBP"
         *     }
         */
        InsureFromInput: {
            /**
             * Format: int64
             * @description The least order value that is insured, in the smallest unit of the currency. `0` insures every order in this currency.
             * @example 1299
             */
            value: number;
            /**
             * @description The currency of `value` (ISO 4217). Orders in another currency are not insured by this rule.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /** @description A change of what is on hand. With `expected_on_hand` it is refused where that is not what is on hand now. */
        InventoryAdjustmentInput: {
            /**
             * Format: int64
             * @description Pieces that came (positive) or went (negative). A change that would leave less than none is refused.
             * @example 12
             */
            delta: number;
            /**
             * @description Why the stock changed, such as `delivery` or `damaged`. The server writes `set`, `allocation_completed` and `allocation_deleted`; a short pick writes the reason that it was reported with.
             * @example delivery
             */
            reason?: string | null;
            /**
             * Format: int64
             * @description What you believe is on hand before the change. Where it is not, the change is refused with 409. Without it, the change is made in any case.
             * @example 40
             */
            expected_on_hand?: number | null;
        };
        /** @description One change of a level: what came or went, what was on hand afterwards, and why. */
        InventoryChange: {
            /** @description Made with the change. The history lists changes newest first, and none is ever altered. */
            id: string;
            /**
             * Format: int64
             * @description Pieces that came (positive) or went (negative). A change that would leave less than none is refused.
             * @example 12
             */
            delta: number;
            /**
             * Format: int64
             * @description Pieces that were there after this change: the history can be added up and compared.
             * @example 40
             */
            on_hand: number;
            /**
             * @description Why the stock changed, such as `delivery` or `damaged`. The server writes `set`, `allocation_completed` and `allocation_deleted`; a short pick writes the reason that it was reported with.
             * @example delivery
             */
            reason: string;
            allocation?: components["schemas"]["AllocationReference"] | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
        };
        /** @description What an order wants and a location holds. */
        InventoryItem: {
            /** @description Made when the item is created. Orders, levels and allocations name the item by it, not by its SKU. */
            id: string;
            /**
             * @description Your own code for what is sold. Unique in the organisation; `GET /inventory_items?sku=` finds the item by it.
             * @example TEE-BLUE-M
             */
            sku: string;
            /**
             * @description What pickers and customers call it. Need not be unique.
             * @example Blue T-shirt, M
             */
            name: string;
            /**
             * Format: double
             * @description Kilograms of one piece, without the parcel's own packaging.
             * @example 0.2
             */
            mass?: number | null;
            dimensions?: components["schemas"]["Dimensions"] | null;
            /**
             * @description The item's customs tariff number: 6, 8 or 10 digits.
             * @example 610910
             */
            hs_code?: string | null;
            /** @description Where the item was made (ISO 3166-1 alpha-2), for customs. */
            origin_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
            /** @description What a scanner reads from the item: GTINs (UPC, EAN) or codes of your own. No two items of the organisation have the same code. `GET /inventory_items?barcode=` finds the item. */
            barcodes?: string[] | null;
            /**
             * Format: int64
             * @description What one piece is worth, in the smallest unit of `currency_code`, which it needs. Kept and returned; a shipment's `customs` do not take it from here yet.
             * @example 1299
             */
            unit_value?: number | null;
            /** @description The currency of `unit_value` (ISO 4217, in capitals). Both go together. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * @description What a customs officer is told: what it is and what it is made of (`Cotton shirt`, not `Gift`). Kept and returned; a shipment's `customs` do not take it from here yet.
             * @example Cotton T-shirt
             */
            customs_description?: string | null;
            /**
             * @description Whether each piece needs a package of its own. Packing obeys it. False if you leave it out.
             * @example false
             */
            ships_alone?: boolean | null;
            /**
             * @description Whether `height` must stay vertical. Packing then turns the item around its vertical axis only, and puts it into no envelope. False if you leave it out.
             * @example false
             */
            keep_upright?: boolean | null;
            /** @description Your own words for the item, such as `fragile`. Kept and returned; nothing else uses them yet. */
            tags?: string[] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description What an order wants and a location holds. */
        InventoryItemInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Your own code for what is sold. Unique in the organisation; `GET /inventory_items?sku=` finds the item by it.
             * @example TEE-BLUE-M
             */
            sku: string;
            /**
             * @description What pickers and customers call it. Need not be unique.
             * @example Blue T-shirt, M
             */
            name: string;
            /**
             * Format: double
             * @description Kilograms of one piece, without the parcel's own packaging.
             * @example 0.2
             */
            mass?: number | null;
            dimensions?: components["schemas"]["DimensionsInput"] | null;
            /**
             * @description The item's customs tariff number: 6, 8 or 10 digits.
             * @example 610910
             */
            hs_code?: string | null;
            /** @description Where the item was made (ISO 3166-1 alpha-2), for customs. */
            origin_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
            /** @description What a scanner reads from the item: GTINs (UPC, EAN) or codes of your own. No two items of the organisation have the same code. `GET /inventory_items?barcode=` finds the item. */
            barcodes?: string[] | null;
            /**
             * Format: int64
             * @description What one piece is worth, in the smallest unit of `currency_code`, which it needs. Kept and returned; a shipment's `customs` do not take it from here yet.
             * @example 1299
             */
            unit_value?: number | null;
            /** @description The currency of `unit_value` (ISO 4217, in capitals). Both go together. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * @description What a customs officer is told: what it is and what it is made of (`Cotton shirt`, not `Gift`). Kept and returned; a shipment's `customs` do not take it from here yet.
             * @example Cotton T-shirt
             */
            customs_description?: string | null;
            /**
             * @description Whether each piece needs a package of its own. Packing obeys it. False if you leave it out.
             * @example false
             */
            ships_alone?: boolean | null;
            /**
             * @description Whether `height` must stay vertical. Packing then turns the item around its vertical axis only, and puts it into no envelope. False if you leave it out.
             * @example false
             */
            keep_upright?: boolean | null;
            /** @description Your own words for the item, such as `fragile`. Kept and returned; nothing else uses them yet. */
            tags?: string[] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description What an order wants and a location holds. */
        InventoryItemPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Your own code for what is sold. Unique in the organisation; `GET /inventory_items?sku=` finds the item by it.
             * @example TEE-BLUE-M
             */
            sku?: string;
            /**
             * @description What pickers and customers call it. Need not be unique.
             * @example Blue T-shirt, M
             */
            name?: string;
            /**
             * Format: double
             * @description Kilograms of one piece, without the parcel's own packaging.
             * @example 0.2
             */
            mass?: number | null;
            dimensions?: components["schemas"]["DimensionsInput"] | null;
            /**
             * @description The item's customs tariff number: 6, 8 or 10 digits.
             * @example 610910
             */
            hs_code?: string | null;
            /** @description Where the item was made (ISO 3166-1 alpha-2), for customs. */
            origin_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
            /** @description What a scanner reads from the item: GTINs (UPC, EAN) or codes of your own. No two items of the organisation have the same code. `GET /inventory_items?barcode=` finds the item. */
            barcodes?: string[] | null;
            /**
             * Format: int64
             * @description What one piece is worth, in the smallest unit of `currency_code`, which it needs. Kept and returned; a shipment's `customs` do not take it from here yet.
             * @example 1299
             */
            unit_value?: number | null;
            /** @description The currency of `unit_value` (ISO 4217, in capitals). Both go together. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * @description What a customs officer is told: what it is and what it is made of (`Cotton shirt`, not `Gift`). Kept and returned; a shipment's `customs` do not take it from here yet.
             * @example Cotton T-shirt
             */
            customs_description?: string | null;
            /**
             * @description Whether each piece needs a package of its own. Packing obeys it. False if you leave it out.
             * @example false
             */
            ships_alone?: boolean | null;
            /**
             * @description Whether `height` must stay vertical. Packing then turns the item around its vertical axis only, and puts it into no envelope. False if you leave it out.
             * @example false
             */
            keep_upright?: boolean | null;
            /** @description Your own words for the item, such as `fragile`. Kept and returned; nothing else uses them yet. */
            tags?: string[] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description How much of an item lies at a location, and how much of that is promised. */
        InventoryLevel: {
            /** @description The product that is counted here, by its id. */
            item: components["schemas"]["ItemReference"];
            /** @description The warehouse or shop where the pieces lie, by its id. */
            location: components["schemas"]["PlaceReference"];
            /**
             * Format: int64
             * @description Pieces that are there, as last counted or adjusted. Never negative.
             * @example 40
             */
            on_hand: number;
            /**
             * Format: int64
             * @description Pieces that open allocations have promised from this place. May exceed `on_hand`: the rest is on backorder.
             * @example 2
             */
            allocated: number;
            /**
             * Format: int64
             * @description `on_hand` less `allocated`: what may still be promised. Negative while something is on backorder.
             * @example 38
             */
            available: number;
            /**
             * @description Where at the location the pieces lie, such as a shelf: text of your own. Kept and returned. Names of equal length, such as `A-03-2`, sort as people expect.
             * @example A-03-2
             */
            bin?: string | null;
            /**
             * Format: int64
             * @description The quantity at which you want to order more. While `on_hand` is not above it, `low_stock` is true. Null if there is none.
             * @example 10
             */
            reorder_point?: number | null;
            /**
             * @description Whether `on_hand` is at or below `reorder_point`. False if there is no reorder point. `GET /inventory_items?low_stock=true` lists the items.
             * @example false
             */
            low_stock: boolean;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description What is on hand, as counted, and where it lies. */
        InventoryLevelInput: {
            /** @description Made by the server; ignored in requests. */
            item?: unknown;
            /** @description Made by the server; ignored in requests. */
            location?: unknown;
            /**
             * Format: int64
             * @description Pieces that are there, as counted just now. Replaces what was on hand.
             * @example 40
             */
            on_hand: number;
            /** @description Made by the server; ignored in requests. */
            allocated?: unknown;
            /** @description Made by the server; ignored in requests. */
            available?: unknown;
            /**
             * @description Where at the location the pieces lie, such as a shelf. A request without it leaves it as it is; null removes it.
             * @example A-03-2
             */
            bin?: string | null;
            /**
             * Format: int64
             * @description The quantity at which you want to order more: `low_stock` is true while `on_hand` is not above it. A request without it leaves it as it is; null removes it.
             * @example 10
             */
            reorder_point?: number | null;
            /** @description Made by the server; ignored in requests. */
            low_stock?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description What is on hand, as counted, and where it lies. */
        InventoryLevelPatch: {
            /** @description Made by the server; ignored in requests. */
            item?: unknown;
            /** @description Made by the server; ignored in requests. */
            location?: unknown;
            /**
             * Format: int64
             * @description Pieces that are there, as counted just now. Replaces what was on hand.
             * @example 40
             */
            on_hand?: number;
            /** @description Made by the server; ignored in requests. */
            allocated?: unknown;
            /** @description Made by the server; ignored in requests. */
            available?: unknown;
            /**
             * @description Where at the location the pieces lie, such as a shelf. A request without it leaves it as it is; null removes it.
             * @example A-03-2
             */
            bin?: string | null;
            /**
             * Format: int64
             * @description The quantity at which you want to order more: `low_stock` is true while `on_hand` is not above it. A request without it leaves it as it is; null removes it.
             * @example 10
             */
            reorder_point?: number | null;
            /** @description Made by the server; ignored in requests. */
            low_stock?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description How much of an item is in its package. */
        ItemProgress: {
            /** @description Which article, by the `inv_…` that the shipment has for it; look its name up once. */
            id: string;
            /**
             * Format: int64
             * @description Units that the package is to hold.
             * @example 2
             */
            quantity: number;
            /**
             * Format: int64
             * @description Units of it that scans have counted.
             * @example 2
             */
            packed_quantity: number;
            /**
             * Format: int64
             * @description Units of it that are still to be scanned.
             * @example 2
             */
            missing_quantity: number;
        };
        /** @description The item that is counted, by its `id`. */
        ItemReference: {
            /** @description Made when the item is created. Orders, levels and allocations name the item by it, not by its SKU. */
            id: string;
        };
        /** @description Format, paper and additions of the label. */
        LabelOptions: {
            format?: ("png" | "zpl" | "pdf") | null;
            size?: ("4x6" | "4x8" | "a6" | "a5" | "a4" | "letter") | null;
            custom_data?: components["schemas"]["CustomData"] | null;
        };
        /** @description Format, paper and additions of the label. */
        LabelOptionsInput: {
            format?: ("png" | "zpl" | "pdf") | null;
            size?: ("4x6" | "4x8" | "a6" | "a5" | "a4" | "letter") | null;
            custom_data?: components["schemas"]["CustomDataInput"] | null;
        };
        /** @description One item of the inventory, and how many pieces. */
        LineItem: {
            /** @description The product's `inv_…`, not its SKU. The same one in several lines is summed. */
            id: string;
            /**
             * Format: int64
             * @description Pieces wanted, 1 to 1,000,000.
             * @example 2
             */
            quantity: number;
        };
        /** @description One item of the inventory, and how many pieces. */
        LineItemInput: {
            /** @description The product's `inv_…`, not its SKU. The same one in several lines is summed. */
            id: string;
            /**
             * Format: int64
             * @description Pieces wanted, 1 to 1,000,000.
             * @example 2
             */
            quantity: number;
        };
        /** @description The day of the week and the time of day at the origin. */
        LocalTime: {
            /**
             * @description The first three letters of the day's English name.
             * @example mon
             * @enum {string}
             */
            weekday: "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";
            /**
             * @description Hours and minutes of a 24-hour clock, `HH:MM`.
             * @example 14:00
             */
            time: string;
            /**
             * @description The zone of the origin location, else of the organisation (IANA).
             * @example Europe/London
             */
            time_zone: string;
        };
        /** @description A physical place, such as a warehouse or a shop, from which shipments are sent. */
        Location: {
            /** @description Made when the location is created. It stays when the name or the address changes. */
            id: string;
            /**
             * @description How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`.
             * @example Bristol depot
             */
            name: string;
            /** @description Your own labels for `GET /locations?tags=`. They have no meaning to Dockside. */
            tags?: string[] | null;
            /** @description Where the location is, and who is there. New shipments copy it; changing it leaves those that exist as they are. */
            address: components["schemas"]["Address"];
            /**
             * @description The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at.
             * @example {
             *       "shopify": [
             *         "68241883417"
             *       ]
             *     }
             */
            marketplaces?: {
                [key: string]: string[];
            } | null;
            /** @description Where it is on the globe, for distances in plans. Without it, plans look up the post code. */
            coordinates?: components["schemas"]["Coordinates"] | null;
            /**
             * @description The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own.
             * @example Europe/London
             */
            time_zone?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description The resource by its `id`. Its other fields, as they were read, are taken too and ignored. */
        LocationById: {
            /** @description Made when the location is created. It stays when the name or the address changes. */
            id: string;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            name?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            tags?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            address?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            marketplaces?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            coordinates?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            time_zone?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            created_at?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            updated_at?: unknown;
        };
        /** @description A named pair of an origin and a return location, which fills in a shipment's details. */
        LocationConfiguration: {
            /** @description Made when the configuration is created. A new shipment names it to copy its origin and return address. */
            id: string;
            /**
             * @description Shown where people choose where a shipment leaves from. Need not be unique.
             * @example Bristol, returns to Bristol
             */
            name: string;
            locations: components["schemas"]["EmbeddedLocations"];
            /** @description Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it. */
            closing?: components["schemas"]["Closing"] | null;
            /**
             * @description Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway.
             * @example false
             */
            is_default: boolean;
            /**
             * @description When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it.
             * @example purchase
             * @enum {string}
             */
            complete_allocations_on: "purchase" | "hand_over";
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A named pair of an origin and a return location. */
        LocationConfigurationInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Shown where people choose where a shipment leaves from. Need not be unique.
             * @example Bristol, returns to Bristol
             */
            name: string;
            locations: components["schemas"]["LocationReferencesInput"];
            /** @description Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it. */
            closing?: components["schemas"]["ClosingInput"] | null;
            /**
             * @description Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway.
             * @example false
             */
            is_default?: boolean | null;
            /** @description When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it. */
            complete_allocations_on?: ("purchase" | "hand_over") | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A named pair of an origin and a return location. */
        LocationConfigurationPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Shown where people choose where a shipment leaves from. Need not be unique.
             * @example Bristol, returns to Bristol
             */
            name?: string;
            locations?: components["schemas"]["LocationReferencesPatch"];
            /** @description Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it. */
            closing?: components["schemas"]["ClosingInput"] | null;
            /**
             * @description Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway.
             * @example false
             */
            is_default?: boolean | null;
            /** @description When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it. */
            complete_allocations_on?: ("purchase" | "hand_over") | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A configuration in a list. */
        LocationConfigurationSummary: {
            /** @description Made when the configuration is created. A new shipment names it to copy its origin and return address. */
            id: string;
            /**
             * @description Shown where people choose where a shipment leaves from. Need not be unique.
             * @example Bristol, returns to Bristol
             */
            name: string;
            locations: components["schemas"]["LocationSummaries"];
            /** @description Closes out the day by itself: at this time, all bought parcels that leave from the origin and are in no manifest yet are put into one. Null: only when you ask for it. */
            closing?: components["schemas"]["Closing"] | null;
            /**
             * @description Whether shipments that are made from orders at the origin use this configuration. An origin has at most one: setting it here ends it elsewhere. With a single configuration, that one is used anyway.
             * @example false
             */
            is_default: boolean;
            /**
             * @description When the allocations in a new shipment from here are completed and their stock is taken: `purchase`, with the label; `hand_over`, once the carrier has the parcel. The shipment copies it.
             * @example purchase
             * @enum {string}
             */
            complete_allocations_on: "purchase" | "hand_over";
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A physical place, such as a warehouse or a shop, from which shipments are sent. */
        LocationInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`.
             * @example Bristol depot
             */
            name: string;
            /** @description Your own labels for `GET /locations?tags=`. They have no meaning to Dockside. */
            tags?: string[] | null;
            /** @description Where the location is, and who is there. New shipments copy it; changing it leaves those that exist as they are. */
            address: components["schemas"]["AddressInput"];
            /**
             * @description The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at.
             * @example {
             *       "shopify": [
             *         "68241883417"
             *       ]
             *     }
             */
            marketplaces?: {
                [key: string]: string[];
            } | null;
            /** @description Where it is on the globe, for distances in plans. Without it, plans look up the post code. */
            coordinates?: components["schemas"]["CoordinatesInput"] | null;
            /**
             * @description The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own.
             * @example Europe/London
             */
            time_zone?: string | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description The packages for what one location sends. */
        LocationPacking: {
            /** @description The place that sends these packages, by its id. */
            location: components["schemas"]["PlaceReference"];
            /** @description The open allocations whose units are packed here. */
            allocations: components["schemas"]["AllocationReference"][];
            /** @description The packages, the fullest first, those of units that ship alone last. */
            packages: components["schemas"]["ProposedPackage"][];
            /** @description Boxes and envelopes that this place has and that were rejected, each with the reason. */
            unused_package_types: components["schemas"]["UnusedPackageType"][];
            /** @description Inventory items without dimensions. They count by their mass alone, and may need a larger package. */
            items_without_dimensions: components["schemas"]["ItemReference"][];
            cost?: components["schemas"]["PackingCost"] | null;
            /** @description What kept the packing from being better, or from being proven to be the best. */
            limits: ("mass" | "steps" | "units")[];
            search: components["schemas"]["PackingSearch"];
        };
        /** @description A physical place, such as a warehouse or a shop, from which shipments are sent. */
        LocationPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`.
             * @example Bristol depot
             */
            name?: string;
            /** @description Your own labels for `GET /locations?tags=`. They have no meaning to Dockside. */
            tags?: string[] | null;
            /** @description Where the location is, and who is there. New shipments copy it; changing it leaves those that exist as they are. */
            address?: components["schemas"]["AddressPatch"];
            /**
             * @description The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at.
             * @example {
             *       "shopify": [
             *         "68241883417"
             *       ]
             *     }
             */
            marketplaces?: {
                [key: string]: string[] | null;
            } | null;
            /** @description Where it is on the globe, for distances in plans. Without it, plans look up the post code. */
            coordinates?: components["schemas"]["CoordinatesInput"] | null;
            /**
             * @description The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own.
             * @example Europe/London
             */
            time_zone?: string | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A location, named by its `id`. Its other fields may come along, and are ignored. */
        LocationReferenceInput: {
            /** @description Made when the location is created. It stays when the name or the address changes. */
            id: string;
            /** @description Made by the server; ignored in requests. */
            name?: unknown;
            /** @description Made by the server; ignored in requests. */
            tags?: unknown;
            /** @description Made by the server; ignored in requests. */
            address?: unknown;
            /** @description Made by the server; ignored in requests. */
            marketplaces?: unknown;
            /** @description Made by the server; ignored in requests. */
            coordinates?: unknown;
            /** @description Made by the server; ignored in requests. */
            time_zone?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A location, named by its `id`. Its other fields may come along, and are ignored. */
        LocationReferencePatch: {
            /** @description Made when the location is created. It stays when the name or the address changes. */
            id?: string;
            /** @description Made by the server; ignored in requests. */
            name?: unknown;
            /** @description Made by the server; ignored in requests. */
            tags?: unknown;
            /** @description Made by the server; ignored in requests. */
            address?: unknown;
            /** @description Made by the server; ignored in requests. */
            marketplaces?: unknown;
            /** @description Made by the server; ignored in requests. */
            coordinates?: unknown;
            /** @description Made by the server; ignored in requests. */
            time_zone?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description The two locations that a shipment copies its origin and its return address from. */
        LocationReferencesInput: {
            /** @description Where parcels leave from: printed as the sender, and what distances and closing times go by. */
            origin: components["schemas"]["LocationReferenceInput"];
            /** @description Where a parcel goes that can't be delivered. May be the same location as the origin. */
            return: components["schemas"]["LocationReferenceInput"];
        };
        /** @description The two locations that a shipment copies its origin and its return address from. */
        LocationReferencesPatch: {
            /** @description Where parcels leave from: printed as the sender, and what distances and closing times go by. */
            origin?: components["schemas"]["LocationReferencePatch"];
            /** @description Where a parcel goes that can't be delivered. May be the same location as the origin. */
            return?: components["schemas"]["LocationReferencePatch"];
        };
        /** @description The two locations that a shipment copies its origin and its return address from. */
        LocationSummaries: {
            /** @description Where parcels leave from: printed as the sender, and what distances and closing times go by. */
            origin: components["schemas"]["LocationSummary"];
            /** @description Where a parcel goes that can't be delivered. May be the same location as the origin. */
            return: components["schemas"]["LocationSummary"];
        };
        /** @description A location, without its address unless `include_fields=address` asks for it. */
        LocationSummary: {
            /** @description Made when the location is created. It stays when the name or the address changes. */
            id: string;
            /**
             * @description How your team tells locations apart. It is internal: never printed on a label, never sent to a carrier. Senders are named by `address.contact`.
             * @example Bristol depot
             */
            name: string;
            /** @description Your own labels for `GET /locations?tags=`. They have no meaning to Dockside. */
            tags?: string[] | null;
            /** @description Street, town and contact. Shown only if the request says `include_fields=address`. */
            address?: components["schemas"]["Address"] | null;
            /**
             * @description The location's ids elsewhere, such as in a shop system: a map from the marketplace's name to its ids. Kept and returned, never looked at.
             * @example {
             *       "shopify": [
             *         "68241883417"
             *       ]
             *     }
             */
            marketplaces: {
                [key: string]: string[];
            };
            /** @description Where it is on the globe, for distances in plans. */
            coordinates?: components["schemas"]["Coordinates"] | null;
            /**
             * @description The IANA name of the place's time zone, such as `Europe/London`. Days and times in shipping rules are meant in it. Without it, the organisation's `time_zone` counts. The `closing` of a configuration names its own.
             * @example Europe/London
             */
            time_zone?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description What a carrier takes over together: of one account, from one place, on one day. */
        Manifest: {
            /** @description Made when the parcels are closed out. Its barcode is on the driver's paper, and a carrier that is asked again is given the same one. */
            id: string;
            /** @description The carrier whose driver signs for the parcels. */
            carrier: components["schemas"]["Carrier"];
            /** @description The contract that the parcels were bought with: each has manifests of its own. */
            carrier_account: components["schemas"]["CarrierAccountReference"];
            /**
             * @description `creating` while the carrier is told, then `created` or `failed`. A failed one keeps its list, and its shipments may be manifested again.
             * @example created
             * @enum {string}
             */
            status: "creating" | "created" | "failed";
            /**
             * @description What the carrier said about it, such as why it refused. Empty while there is nothing to tell.
             * @example []
             */
            messages: string[];
            /** @description The paper that the driver signs, as PDF; there once the status is `created`. */
            documents: components["schemas"]["Document"][];
            /** @description The shipments that are handed over, by id. An event shows the first 1,000. */
            shipments: string[];
            /**
             * Format: int64
             * @description All shipments that are handed over, also where `shipments` shows fewer.
             * @example 1
             */
            shipments_count: number;
            /**
             * Format: int64
             * @description Parcels that the driver counts: a shipment may have several.
             * @example 1
             */
            packages_count: number;
            /** @description Where the parcels leave from. Null if shipments were given their origin as an address. */
            location?: string | null;
            /** @description The address that the parcels leave from, as it was when the shipments were made. */
            origin?: components["schemas"]["AddressRecord"] | null;
            /**
             * @description The day of shipping, in UTC: the shipment's `options.shipping.date`, else the day on which it was bought.
             * @example 2026-11-01
             */
            ship_date: string;
            /**
             * @description The carrier's own number of the manifest, for asking the carrier about it. Null until the carrier gave one.
             * @example sf_8021
             */
            carrier_reference?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description Which parcels are handed over. */
        ManifestInput: {
            /** @description The location whose parcels are handed over, or its id alone. */
            location: string | components["schemas"]["LocationById"];
            /**
             * @description Only parcels of this day of shipping (UTC). Without it, all days up to today, each in a manifest of its own.
             * @example 2026-11-01
             */
            date?: string | null;
            /**
             * @description Closes out only parcels that were bought with this contract, named by id or handle. Without it, those of every account.
             * @example sandbox
             */
            carrier_account?: string | null;
        };
        /**
         * @description Kilograms in total. Both ends belong to the range; two rules may share an end, because the earlier rule wins.
         * @example {
         *       "max": 2
         *     }
         */
        MassRange: {
            /**
             * Format: double
             * @description The least mass in kilograms. Without it, there is no lower end.
             * @example 2
             */
            min?: number | null;
            /**
             * Format: double
             * @description The largest mass in kilograms. Without it, there is no upper end.
             * @example 2
             */
            max?: number | null;
        };
        /**
         * @description Kilograms in total. Both ends belong to the range; two rules may share an end, because the earlier rule wins.
         * @example {
         *       "max": 2
         *     }
         */
        MassRangeInput: {
            /**
             * Format: double
             * @description The least mass in kilograms. Without it, there is no lower end.
             * @example 2
             */
            min?: number | null;
            /**
             * Format: double
             * @description The largest mass in kilograms. Without it, there is no upper end.
             * @example 2
             */
            max?: number | null;
        };
        /** @description Whom the access token or the session speaks for, what it may do, and until when. */
        Me: {
            organisation: components["schemas"]["MyOrganisation"];
            user: components["schemas"]["MyUser"];
            /** @description The roles of the user. They decide what a session may do; an access token has its own scopes. */
            roles: string[];
            /**
             * @description `live` data, or the `test` world beside it, where the only carrier is the sandbox. Set by the token that made this one.
             * @enum {string}
             */
            world: "live" | "test";
            /** @description What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead. */
            scopes: string[];
            /**
             * Format: date-time
             * @description RFC 3339 with any offset; answers are in UTC with microseconds.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at?: string | null;
            session?: components["schemas"]["MySession"] | null;
            /** @description The channels of the realtime stream that the caller may join: one for each resource that the token may read. In the test world the organisation's id ends in `_test` here, and may be written without it. */
            channels: string[];
        };
        /** @description The organisation that the token belongs to: the same in both worlds. */
        MyOrganisation: {
            /** @description An organisation's id: the same in both worlds. */
            id: string;
            /**
             * @description What people call the organisation, in both worlds. It begins as the name under which the operator made it, and that one stays the name for commands of the operator.
             * @example Default
             */
            name: string;
        };
        /** @description The sign-in that the request's cookie belongs to. Null for an access token. */
        MySession: {
            /** @description Names a sign-in without giving access: the secret is in the cookie alone. `DELETE /sessions/{session_id}` takes it. */
            id: string;
            /**
             * @description How the person proved who they are: with the `password`, with a one-time `link`, at an identity provider (`openid_connect`), or with a `passkey`.
             * @enum {string}
             */
            began_with: "password" | "link" | "openid_connect" | "passkey";
            /**
             * Format: date-time
             * @description When it ends in any case: thirty days after the sign-in.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at: string;
        };
        /** @description The person or program in whose name requests are made. Channels of the stream carry this id. */
        MyUser: {
            /** @description Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it. */
            id: string;
            /**
             * @description What colleagues call the person or the program. It need not be unique.
             * @example Ada Lindqvist
             */
            name?: string | null;
            /**
             * @description The address under which the operator knows the user.
             * @example admin@localhost
             */
            email_address?: string | null;
            /**
             * @description Whether the person can sign in without a link, because they have set a secret of their own.
             * @example true
             */
            has_password: boolean;
        };
        /** @description What a customer ordered. A committed order has a reservation. */
        Order: {
            /** @description Made when the order is created. Its reservation and its allocations are found under it. */
            id: string;
            /**
             * @description The order's number in your shop, for finding it again with `GET /orders?reference=`.
             * @example 1042
             */
            reference?: string | null;
            status?: ("draft" | "committed" | "fulfilled" | "cancelled") | null;
            destination?: components["schemas"]["Destination"] | null;
            /** @description What is to be shipped, at least one entry unless there are `lines`. Entries of the same item are summed. If there are `lines`, it follows from them and may be left out. While the order is committed, all of it is reserved. */
            items?: components["schemas"]["LineItem"][] | null;
            /** @description What the customer bought, as the shop says it. If there are lines, `items` follow from them: the sum of the shippable lines for each item. An order that was made from `items` alone has none. */
            lines?: components["schemas"]["OrderLine"][] | null;
            customer?: components["schemas"]["Customer"] | null;
            /**
             * @description Where it was sold, in your own words, such as `webshop` or `marketplace`. `GET /orders?channel=` finds it by exactly this text.
             * @example webshop
             */
            channel?: string | null;
            source?: components["schemas"]["OrderSourceReference"] | null;
            /**
             * Format: date-time
             * @description When the customer ordered. `GET /orders?placed_after=&placed_before=` finds it by that.
             * @example 2026-11-01T09:30:00.000000Z
             */
            placed_at?: string | null;
            /**
             * Format: date-time
             * @description When it must have left. `GET /orders?ship_by_before=` finds it by that.
             * @example 2026-11-01T09:30:00.000000Z
             */
            ship_by?: string | null;
            /**
             * @description The delivery that the customer chose, in the shop's own words. Kept and shown; shipping rules can choose by it.
             * @example Express
             */
            requested_service?: string | null;
            /** @description The currency of the lines' prices (ISO 4217, in capitals). Required if a line has one. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /** @description Your own labels for `GET /orders?tags=`. They have no meaning to Dockside. */
            tags?: string[] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            status_when_matched?: ("draft" | "committed") | null;
            /** @description Why the order is on hold, and until when; null if it is not. POST /orders/{order_id}/hold and /release change it. */
            hold?: components["schemas"]["Hold"] | null;
            /** @description Remarks, oldest first. `POST /orders/{order_id}/notes` adds one. */
            notes: components["schemas"]["OrderNote"][];
            /** @description What went wrong with the order, oldest first. The server raises exceptions; `POST /orders/{order_id}/exceptions/{exception_id}/resolve` resolves one. */
            exceptions: components["schemas"]["OrderException"][];
            fulfilment: components["schemas"]["Fulfilment"];
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description Something that went wrong with an order and that a person should look at. */
        OrderException: {
            /** @description Made when the exception is raised. Resolving the exception keeps it. */
            id: string;
            /**
             * @description What went wrong. `short`: less was found than was to be packed. `stock_short`: stock became short after a purchase began. `voided_after_scan`: a shipment was voided after the carrier scanned it. `shipped_unallocated`: allocations were deleted although their shipment was bought.
             * @example short
             * @enum {string}
             */
            code: "short" | "stock_short" | "voided_after_scan" | "shipped_unallocated";
            /**
             * @description Whether nothing more of the order may be bought until it is resolved.
             * @example false
             */
            is_blocking: boolean;
            /** @description The parcels that are concerned, by their `shp_…`. Null if it concerns the whole order. */
            shipment_id?: string | null;
            /**
             * @description What happened, in a sentence for the person who deals with it.
             * @example 2 of TEE-BLUE-M were not found.
             */
            message: string;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a person resolved it. Null while it is open.
             * @example 2026-11-01T09:30:00.000000Z
             */
            resolved_at?: string | null;
            /** @description The user whose token resolved it. Null while it is open. */
            resolved_by?: string | null;
            /**
             * @description What was done about it. Kept with the exception.
             * @example Sent the rest by courier
             */
            note?: string | null;
        };
        /** @description What was done about an exception. */
        OrderExceptionResolutionInput: {
            /**
             * @description What was done about it. Kept with the exception.
             * @example Sent the rest by courier
             */
            note?: string | null;
        };
        /** @description What a customer ordered. A committed order has a reservation. */
        OrderInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description The order's number in your shop, for finding it again with `GET /orders?reference=`.
             * @example 1042
             */
            reference?: string | null;
            status?: ("draft" | "committed" | "fulfilled" | "cancelled") | null;
            destination?: components["schemas"]["DestinationInput"] | null;
            /** @description What is to be shipped, at least one entry unless there are `lines`. Entries of the same item are summed. If there are `lines`, it follows from them and may be left out. While the order is committed, all of it is reserved. */
            items?: components["schemas"]["LineItemInput"][] | null;
            /** @description What the customer bought, as the shop says it. If there are lines, `items` follow from them: the sum of the shippable lines for each item. An order that was made from `items` alone has none. */
            lines?: components["schemas"]["OrderLineInput"][] | null;
            customer?: components["schemas"]["CustomerInput"] | null;
            /**
             * @description Where it was sold, in your own words, such as `webshop` or `marketplace`. `GET /orders?channel=` finds it by exactly this text.
             * @example webshop
             */
            channel?: string | null;
            source?: components["schemas"]["OrderSourceReferenceInput"] | null;
            /**
             * Format: date-time
             * @description When the customer ordered. `GET /orders?placed_after=&placed_before=` finds it by that.
             * @example 2026-11-01T09:30:00.000000Z
             */
            placed_at?: string | null;
            /**
             * Format: date-time
             * @description When it must have left. `GET /orders?ship_by_before=` finds it by that.
             * @example 2026-11-01T09:30:00.000000Z
             */
            ship_by?: string | null;
            /**
             * @description The delivery that the customer chose, in the shop's own words. Kept and shown; shipping rules can choose by it.
             * @example Express
             */
            requested_service?: string | null;
            /** @description The currency of the lines' prices (ISO 4217, in capitals). Required if a line has one. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /** @description Your own labels for `GET /orders?tags=`. They have no meaning to Dockside. */
            tags?: string[] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Made by the server; ignored in requests. */
            status_when_matched?: unknown;
            /** @description Made by the server; ignored in requests. */
            hold?: unknown;
            /** @description Made by the server; ignored in requests. */
            notes?: unknown;
            /** @description Made by the server; ignored in requests. */
            exceptions?: unknown;
            /** @description Made by the server; ignored in requests. */
            fulfilment?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /**
         * @description One line of the shop's order. One that is shipped names an item, a SKU, or both.
         * @example {
         *       "sku": "TEE-BLUE-M",
         *       "quantity": 2,
         *       "unit_price": 1500
         *     }
         */
        OrderLine: {
            /** @description Made with the line. In a PATCH, an entry with the `id` of a line keeps that line; others are new ones. In a POST it is ignored. */
            id: string;
            /** @description The inventory item that is shipped for the line. Null while no item has the line's SKU: the order is then a draft on hold. */
            item_id?: string | null;
            /**
             * @description The shop's code of what was bought. Without `item_id`, the inventory item with this SKU is looked up.
             * @example TEE-BLUE-M
             */
            sku?: string | null;
            /**
             * @description What the shop calls it. Kept and shown, never looked at.
             * @example Blue T-shirt, M
             */
            name?: string | null;
            /**
             * Format: int64
             * @description Pieces bought, 1 to 1,000,000.
             * @example 2
             */
            quantity: number;
            /**
             * Format: int64
             * @description What was paid for one piece, after discount and before tax: a whole number of the smallest unit of the order's `currency_code`, which it needs.
             * @example 1299
             */
            unit_price?: number | null;
            /**
             * @description The line's id in the shop, as a string. Kept and shown, never looked at.
             * @example 981
             */
            external_line_id?: string | null;
            /**
             * @description `false` for what is never shipped, such as a download: it is not reserved, and has no item. `true` if you leave it out.
             * @example true
             */
            is_shippable?: boolean | null;
        };
        /**
         * @description One line of the shop's order. One that is shipped names an item, a SKU, or both.
         * @example {
         *       "sku": "TEE-BLUE-M",
         *       "quantity": 2,
         *       "unit_price": 1500
         *     }
         */
        OrderLineInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /** @description The inventory item that is shipped for the line. Null while no item has the line's SKU: the order is then a draft on hold. */
            item_id?: string | null;
            /**
             * @description The shop's code of what was bought. Without `item_id`, the inventory item with this SKU is looked up.
             * @example TEE-BLUE-M
             */
            sku?: string | null;
            /**
             * @description What the shop calls it. Kept and shown, never looked at.
             * @example Blue T-shirt, M
             */
            name?: string | null;
            /**
             * Format: int64
             * @description Pieces bought, 1 to 1,000,000.
             * @example 2
             */
            quantity: number;
            /**
             * Format: int64
             * @description What was paid for one piece, after discount and before tax: a whole number of the smallest unit of the order's `currency_code`, which it needs.
             * @example 1299
             */
            unit_price?: number | null;
            /**
             * @description The line's id in the shop, as a string. Kept and shown, never looked at.
             * @example 981
             */
            external_line_id?: string | null;
            /**
             * @description `false` for what is never shipped, such as a download: it is not reserved, and has no item. `true` if you leave it out.
             * @example true
             */
            is_shippable?: boolean | null;
        };
        /** @description Which item is shipped for a line. */
        OrderLineMatchInput: {
            /** @description The entry of the order that waits for its product: one whose `item_id` is null. */
            line_id: string;
            /** @description The product that goes into the parcel for this entry, by its `inv_…`. */
            item_id: string;
        };
        /** @description A remark about an order, for your team or for the customer. */
        OrderNote: {
            /** @description Made when the note is added. A note never changes. */
            id: string;
            /**
             * @description The remark itself: up to 2,000 characters without line breaks.
             * @example Leave it with the neighbour
             */
            text: string;
            /**
             * @description Whether the customer may see the note. `false` if you leave it out. It is kept and shown; nothing is printed or sent because of it yet.
             * @example false
             */
            is_for_customer?: boolean | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
        };
        /** @description A remark about an order, for your team or for the customer. */
        OrderNoteInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description The remark itself: up to 2,000 characters without line breaks.
             * @example Leave it with the neighbour
             */
            text: string;
            /**
             * @description Whether the customer may see the note. `false` if you leave it out. It is kept and shown; nothing is printed or sent because of it yet.
             * @example false
             */
            is_for_customer?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
        };
        /** @description Proposed packages for an order. Nothing is stored. */
        OrderPacking: {
            /** @description An entry for each location that sends something of the order. */
            data: components["schemas"]["LocationPacking"][];
        };
        /** @description What a customer ordered. A committed order has a reservation. */
        OrderPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description The order's number in your shop, for finding it again with `GET /orders?reference=`.
             * @example 1042
             */
            reference?: string | null;
            status?: ("draft" | "committed" | "fulfilled" | "cancelled") | null;
            destination?: components["schemas"]["DestinationInput"] | null;
            /** @description What is to be shipped, at least one entry unless there are `lines`. Entries of the same item are summed. If there are `lines`, it follows from them and may be left out. While the order is committed, all of it is reserved. */
            items?: components["schemas"]["LineItemInput"][] | null;
            /** @description What the customer bought, as the shop says it. If there are lines, `items` follow from them: the sum of the shippable lines for each item. An order that was made from `items` alone has none. */
            lines?: components["schemas"]["OrderLineInput"][] | null;
            customer?: components["schemas"]["CustomerInput"] | null;
            /**
             * @description Where it was sold, in your own words, such as `webshop` or `marketplace`. `GET /orders?channel=` finds it by exactly this text.
             * @example webshop
             */
            channel?: string | null;
            source?: components["schemas"]["OrderSourceReferenceInput"] | null;
            /**
             * Format: date-time
             * @description When the customer ordered. `GET /orders?placed_after=&placed_before=` finds it by that.
             * @example 2026-11-01T09:30:00.000000Z
             */
            placed_at?: string | null;
            /**
             * Format: date-time
             * @description When it must have left. `GET /orders?ship_by_before=` finds it by that.
             * @example 2026-11-01T09:30:00.000000Z
             */
            ship_by?: string | null;
            /**
             * @description The delivery that the customer chose, in the shop's own words. Kept and shown; shipping rules can choose by it.
             * @example Express
             */
            requested_service?: string | null;
            /** @description The currency of the lines' prices (ISO 4217, in capitals). Required if a line has one. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /** @description Your own labels for `GET /orders?tags=`. They have no meaning to Dockside. */
            tags?: string[] | null;
            /**
             * @description Data of your own, up to 16 KiB of JSON: kept and returned, never looked at. A PATCH merges it; null removes a key.
             * @example {
             *       "shelf": "A3"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Made by the server; ignored in requests. */
            status_when_matched?: unknown;
            /** @description Made by the server; ignored in requests. */
            hold?: unknown;
            /** @description Made by the server; ignored in requests. */
            notes?: unknown;
            /** @description Made by the server; ignored in requests. */
            exceptions?: unknown;
            /** @description Made by the server; ignored in requests. */
            fulfilment?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description The order, by its `id`. */
        OrderReference: {
            /** @description Made when the order is created. Its reservation and its allocations are found under it. */
            id: string;
        };
        /** @description What to ship of the order, and how. An empty body ships all that is allocated. */
        OrderShipmentsInput: {
            /** @description The allocations of the order to ship. Null: all that are open and in no shipment. */
            allocation_ids?: string[] | null;
            /** @description The packages, all from one location. What they do not hold stays allocated: an allocation of which they hold a part is split. Null: the units are packed as `POST /allocations/orders/{order_id}/pack` proposes. */
            packages?: components["schemas"]["PackageToShipInput"][] | null;
            /** @description The carrier, service and accounts to use. Null: the shipping rules decide, and a hold of theirs counts. */
            carrier?: components["schemas"]["CarrierChoiceInput"] | null;
        };
        /** @description The order in the shop that it comes from. Kept and shown, never looked at. */
        OrderSourceReference: {
            /**
             * @description The order's id in the shop, as a string, so that it loses no digits.
             * @example 5123456789012
             */
            external_id?: string | null;
            /**
             * @description The number that the shop shows to people.
             * @example #1042
             */
            external_number?: string | null;
            /**
             * @description The page of the order in the shop: an http or https URL. Kept and shown; the server never opens it.
             * @example https://shop.example/orders/1042
             */
            url?: string | null;
        };
        /** @description The order in the shop that it comes from. Kept and shown, never looked at. */
        OrderSourceReferenceInput: {
            /**
             * @description The order's id in the shop, as a string, so that it loses no digits.
             * @example 5123456789012
             */
            external_id?: string | null;
            /**
             * @description The number that the shop shows to people.
             * @example #1042
             */
            external_number?: string | null;
            /**
             * @description The page of the order in the shop: an http or https URL. Kept and shown; the server never opens it.
             * @example https://shop.example/orders/1042
             */
            url?: string | null;
        };
        /** @description The organisation that the access token belongs to, and what it has set. */
        Organisation: {
            /** @description An organisation's id: the same in both worlds. */
            id: string;
            /**
             * @description What people call the organisation, in both worlds. It begins as the name under which the operator made it, and that one stays the name for commands of the operator.
             * @example Default
             */
            name: string;
            /**
             * @description Whether an order's `reference` may be used once only, in the token's world. While it is `true`, an order with the reference of another is refused with `reference_taken`. The live and the test world are set apart.
             * @example false
             */
            unique_order_references?: boolean | null;
            /**
             * @description The IANA name of the time zone in which days and times of shipping rules are meant, for locations without a `time_zone` of their own. `UTC` unless it is set.
             * @example Europe/London
             */
            time_zone?: string | null;
            /**
             * Format: date-time
             * @description RFC 3339 with any offset; answers are in UTC with microseconds.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339 with any offset; answers are in UTC with microseconds.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description The organisation that the access token belongs to, and what it has set. */
        OrganisationPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What people call the organisation, in both worlds. It begins as the name under which the operator made it, and that one stays the name for commands of the operator.
             * @example Default
             */
            name?: string;
            /**
             * @description Whether an order's `reference` may be used once only, in the token's world. While it is `true`, an order with the reference of another is refused with `reference_taken`. The live and the test world are set apart.
             * @example false
             */
            unique_order_references?: boolean | null;
            /**
             * @description The IANA name of the time zone in which days and times of shipping rules are meant, for locations without a `time_zone` of their own. `UTC` unless it is set.
             * @example Europe/London
             */
            time_zone?: string | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /**
         * @description The closed package, in centimetres, as carriers measure it. Kept as whole millimetres, rounded up. Null: as `inner_dimensions`.
         * @example {
         *       "length": 30.6,
         *       "width": 20.6,
         *       "height": 15.8
         *     }
         */
        OuterDimensions: {
            /**
             * Format: double
             * @description The first horizontal side outside, in centimetres.
             * @example 30
             */
            length: number;
            /**
             * Format: double
             * @description The second horizontal side outside, in centimetres.
             * @example 30
             */
            width: number;
            /**
             * Format: double
             * @description The vertical side outside, in centimetres.
             * @example 30
             */
            height: number;
        };
        /**
         * @description The closed package, in centimetres, as carriers measure it. Kept as whole millimetres, rounded up. Null: as `inner_dimensions`.
         * @example {
         *       "length": 30.6,
         *       "width": 20.6,
         *       "height": 15.8
         *     }
         */
        OuterDimensionsInput: {
            /**
             * Format: double
             * @description The first horizontal side outside, in centimetres.
             * @example 30
             */
            length: number;
            /**
             * Format: double
             * @description The second horizontal side outside, in centimetres.
             * @example 30
             */
            width: number;
            /**
             * Format: double
             * @description The vertical side outside, in centimetres.
             * @example 30
             */
            height: number;
        };
        /** @description One package of a shipment. */
        Package: {
            /** @description Your own word for the package. No carrier sees it. */
            name?: string | null;
            geometry?: components["schemas"]["Geometry"] | null;
            /**
             * @description The carrier's own name of a standard box or envelope, which then needs no `geometry`.
             * @example flat_rate_envelope
             */
            predefined_package_code?: string | null;
            /**
             * @description The carrier's number of this package. Null until the shipment is bought.
             * @example SB123456785GB
             */
            tracking_number?: string | null;
            /** @description What is inside: kept and shown; no carrier gets it. In a shipment that was made from an order, the units of its allocations: then their sum can't be changed. Otherwise it changes no stock. */
            items?: components["schemas"]["PackageItem"][] | null;
            /** @description The package type that is used. If `geometry` has no length, width and height, they are copied from its outer dimensions when the shipment is created or changed. */
            package_type_id?: string | null;
        };
        /** @description What one package costs you. Of packings with equally many packages the cheapest is proposed, if all package types that may be used have a cost in one currency. */
        PackageCost: {
            /**
             * Format: int64
             * @description What one package costs you, in the smallest unit of the currency.
             * @example 1299
             */
            amount: number;
            /**
             * @description ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /** @description What one package costs you. Of packings with equally many packages the cheapest is proposed, if all package types that may be used have a cost in one currency. */
        PackageCostInput: {
            /**
             * Format: int64
             * @description What one package costs you, in the smallest unit of the currency.
             * @example 1299
             */
            amount: number;
            /**
             * @description ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /** @description One package of a shipment. */
        PackageInput: {
            /** @description Your own word for the package. No carrier sees it. */
            name?: string | null;
            geometry?: components["schemas"]["GeometryInput"] | null;
            /**
             * @description The carrier's own name of a standard box or envelope, which then needs no `geometry`.
             * @example flat_rate_envelope
             */
            predefined_package_code?: string | null;
            /** @description Made by the server; ignored in requests. */
            tracking_number?: unknown;
            /** @description What is inside: kept and shown; no carrier gets it. In a shipment that was made from an order, the units of its allocations: then their sum can't be changed. Otherwise it changes no stock. */
            items?: components["schemas"]["PackageItemInput"][] | null;
            /** @description The package type that is used. If `geometry` has no length, width and height, they are copied from its outer dimensions when the shipment is created or changed. */
            package_type_id?: string | null;
        };
        /** @description One item of the inventory, and how many pieces are in the package. */
        PackageItem: {
            /** @description The inventory item's `inv_…`, not its SKU. Each item once in a package. */
            id: string;
            /**
             * Format: int64
             * @description Pieces in the package, 1 or more.
             * @example 2
             */
            quantity: number;
        };
        /** @description One item of the inventory, and how many pieces are in the package. */
        PackageItemInput: {
            /** @description The inventory item's `inv_…`, not its SKU. Each item once in a package. */
            id: string;
            /**
             * Format: int64
             * @description Pieces in the package, 1 or more.
             * @example 2
             */
            quantity: number;
        };
        /** @description How far one package is packed. */
        PackageProgress: {
            /**
             * Format: int64
             * @description The place of the box in the shipment's `packages`, counted from 1.
             * @example 1
             */
            package: number;
            /** @description Its contents as the shipment has them, with what is packed of each. */
            items: components["schemas"]["ItemProgress"][];
        };
        /** @description One package of a shipment, and the units of the order in it. */
        PackageToShipInput: {
            /** @description Your own word for the package. No carrier sees it. */
            name?: string | null;
            /** @description Size and mass. What is absent is computed: the size from the package type, the mass from items and package type. */
            geometry?: components["schemas"]["GeometryInput"] | null;
            /**
             * @description The carrier's own name of a standard box or envelope, which then needs no `geometry`.
             * @example flat_rate_envelope
             */
            predefined_package_code?: string | null;
            /** @description The units of the order that are in the package. All packages together hold at most what is allocated. */
            items: components["schemas"]["PackageItemInput"][];
            /** @description The box that is used. Its outer dimensions and its mass count unless `geometry` has others. */
            package_type_id?: string | null;
        };
        /** @description A box or an envelope that you own, any number of times. */
        PackageType: {
            /** @description Made when the package type is created. It stays when its name, handle or size changes. */
            id: string;
            /**
             * @description What your packers call it. Need not be unique.
             * @example Small box
             */
            name: string;
            /**
             * @description A short name for programs: lower-case letters, digits, `_` and `-`. Unique in the organisation.
             * @example small-box
             */
            handle: string;
            kind?: ("box" | "envelope") | null;
            inner_dimensions: components["schemas"]["InnerDimensions"];
            outer_dimensions?: components["schemas"]["OuterDimensions"] | null;
            /**
             * Format: double
             * @description Kilograms of the empty package. Kept as whole grams, rounded up. 0 if you leave it out.
             * @example 0.15
             */
            tare_mass?: number | null;
            /**
             * Format: double
             * @description The largest mass in kilograms, with the empty package. Kept as whole grams, rounded down. Null: no limit.
             * @example 20
             */
            mass_max?: number | null;
            cost?: components["schemas"]["PackageCost"] | null;
            /** @description The locations that have this package type. An empty list: all locations. A location that is named here can't be deleted. */
            location_ids?: string[] | null;
            /**
             * @description Whether packings may use it. True if you leave it out.
             * @example true
             */
            is_active?: boolean | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A box or an envelope that you own, any number of times. */
        PackageTypeInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What your packers call it. Need not be unique.
             * @example Small box
             */
            name: string;
            /**
             * @description A short name for programs: lower-case letters, digits, `_` and `-`. Unique in the organisation.
             * @example small-box
             */
            handle: string;
            kind?: ("box" | "envelope") | null;
            inner_dimensions: components["schemas"]["InnerDimensionsInput"];
            outer_dimensions?: components["schemas"]["OuterDimensionsInput"] | null;
            /**
             * Format: double
             * @description Kilograms of the empty package. Kept as whole grams, rounded up. 0 if you leave it out.
             * @example 0.15
             */
            tare_mass?: number | null;
            /**
             * Format: double
             * @description The largest mass in kilograms, with the empty package. Kept as whole grams, rounded down. Null: no limit.
             * @example 20
             */
            mass_max?: number | null;
            cost?: components["schemas"]["PackageCostInput"] | null;
            /** @description The locations that have this package type. An empty list: all locations. A location that is named here can't be deleted. */
            location_ids?: string[] | null;
            /**
             * @description Whether packings may use it. True if you leave it out.
             * @example true
             */
            is_active?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A box or an envelope that you own, any number of times. */
        PackageTypePatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What your packers call it. Need not be unique.
             * @example Small box
             */
            name?: string;
            /**
             * @description A short name for programs: lower-case letters, digits, `_` and `-`. Unique in the organisation.
             * @example small-box
             */
            handle?: string;
            kind?: ("box" | "envelope") | null;
            inner_dimensions?: components["schemas"]["InnerDimensionsPatch"];
            outer_dimensions?: components["schemas"]["OuterDimensionsInput"] | null;
            /**
             * Format: double
             * @description Kilograms of the empty package. Kept as whole grams, rounded up. 0 if you leave it out.
             * @example 0.15
             */
            tare_mass?: number | null;
            /**
             * Format: double
             * @description The largest mass in kilograms, with the empty package. Kept as whole grams, rounded down. Null: no limit.
             * @example 20
             */
            mass_max?: number | null;
            cost?: components["schemas"]["PackageCostInput"] | null;
            /** @description The locations that have this package type. An empty list: all locations. A location that is named here can't be deleted. */
            location_ids?: string[] | null;
            /**
             * @description Whether packings may use it. True if you leave it out.
             * @example true
             */
            is_active?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description The sides of the unit as it lies in the package, in centimetres: they say how it is turned. Null if the item has no dimensions. */
        PackedDimensions: {
            /**
             * Format: double
             * @description The extent of the unit along the inner length of the package.
             * @example 10
             */
            length: number;
            /**
             * Format: double
             * @description The extent of the unit along the inner width of the package.
             * @example 10
             */
            width: number;
            /**
             * Format: double
             * @description The extent of the unit upwards.
             * @example 10
             */
            height: number;
        };
        /** @description The corner of the unit that is nearest to the corner of the package. Null if the item has no dimensions. */
        PackedPosition: {
            /**
             * Format: double
             * @description Centimetres along the inner length of the package.
             * @example 10
             */
            x: number;
            /**
             * Format: double
             * @description Centimetres along the inner width of the package.
             * @example 10
             */
            y: number;
            /**
             * Format: double
             * @description Centimetres above the bottom of the package.
             * @example 10
             */
            z: number;
        };
        /** @description One piece in the package, and where it lies. */
        PackedUnit: {
            /** @description What the piece is, by its `inv_…`. Several pieces of one product are several units. */
            item: components["schemas"]["ItemReference"];
            position?: components["schemas"]["PackedPosition"] | null;
            dimensions?: components["schemas"]["PackedDimensions"] | null;
        };
        /** @description What the packages cost together. Null if costs were not compared: a package type that can hold a unit has none, or they are in several currencies. */
        PackingCost: {
            /**
             * Format: int64
             * @description A whole number of the currency's smallest unit: `1299` with `GBP` is £12.99, with `JPY` ¥1299. A fraction is refused.
             * @example 1299
             */
            amount: number;
            /**
             * @description ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /** @description Which allocations to pack. An empty body packs all that are open. */
        PackingInput: {
            /** @description The open allocations of the order to pack. Null: all that are open. */
            allocation_ids?: string[] | null;
        };
        /** @description How far the search went. The best packing has the fewest packages, then the lowest cost, then the smallest volume. */
        PackingSearch: {
            /**
             * @description True if no better packing exists: all others were compared or excluded. False if the search ended before that was proven.
             * @example true
             */
            is_exact: boolean;
            /**
             * Format: int64
             * @description How often the search compared two cuboids. The search is limited in steps, so equal requests get equal answers.
             * @example 120
             */
            steps: number;
            /**
             * @description What was proven, and why the search ended, as a sentence for a person.
             * @example No package type is smaller.
             */
            note: string;
        };
        /** @description Where it goes, where it comes from, and where it goes back to. */
        PartialAddresses: {
            /** @description Recipient and street that the label shows largest. */
            destination?: components["schemas"]["AddressRecord"] | null;
            /** @description Where it leaves from, as it was when the shipment was made. */
            origin?: components["schemas"]["AddressRecord"] | null;
            /** @description Where it goes back to if it can't be delivered. */
            return?: components["schemas"]["AddressRecord"] | null;
            /** @description Whose locations were copied when the shipment was made. */
            location_configuration_id?: string | null;
        };
        /** @description A shipment; where `include_fields` is given, without those of its seven parts that it does not name. */
        PartialShipment: {
            /** @description Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages. */
            id: string;
            /**
             * @description A name or reference of your own, such as the order's number. Need not be unique.
             * @example Order 1042
             */
            name?: string | null;
            addresses: components["schemas"]["PartialAddresses"];
            /** @description Tax registrations of sender, recipient or importer, for customs papers and carriers. */
            tax_identifiers?: components["schemas"]["TaxIdentifier"][] | null;
            /** @description The parcels that travel together under one purchase. Each gets a label and a tracking number. */
            packages: components["schemas"]["Package"][];
            customs?: components["schemas"]["Customs"] | null;
            options?: components["schemas"]["ShipmentOptions"] | null;
            carrier?: components["schemas"]["CarrierChoice"] | null;
            /** @description Labels and customs papers, once it is bought. Each link lives an hour; read again for new ones. */
            documents?: components["schemas"]["Document"][] | null;
            /** @description What carriers asked for it when it was last rated, cheapest first. Emptied when the shipment changes. */
            rates?: components["schemas"]["Rate"][] | null;
            service?: components["schemas"]["ChosenService"] | null;
            cost?: components["schemas"]["ShipmentCost"] | null;
            /**
             * @description `draft` when made, `rated` with rates, `purchasing` while the carrier is asked, then `purchased` or `purchase_failed`, which can be repaired and bought again. `voided`: the carrier took the label back and refunds it.
             * @example purchased
             * @enum {string}
             */
            status: "draft" | "rated" | "purchasing" | "purchased" | "purchase_failed" | "voided";
            /**
             * @description What the carrier last reported: `pre_transit` once it is bought, then on to `delivered`, `return_to_sender`, `failure` or `cancelled`, which are final. `unknown` before it is bought.
             * @example in_transit
             * @enum {string}
             */
            tracking_status: "unknown" | "pre_transit" | "in_transit" | "out_for_delivery" | "available_for_pickup" | "delivered" | "return_to_sender" | "failure" | "cancelled";
            /**
             * @description The carrier's number of the first package, once it is bought.
             * @example SB123456785GB
             */
            tracking_number?: string | null;
            /**
             * @description Whether it is purchased and the carrier delivers its label later. `shipment.updated` is sent when the label arrives.
             * @example false
             */
            label_pending: boolean;
            /** @description Why rating, buying, labelling or voiding failed; the newest last. Empty while all is well. */
            errors?: components["schemas"]["ShipmentError"][] | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A key on a device of a person, with which the person signs in. */
        Passkey: {
            /** @description Names a passkey without giving access: the secret key never leaves the person's device. `DELETE /passkeys/{passkey_id}` takes it. */
            id: string;
            /** @description Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it. */
            user_id: string;
            /**
             * @description By which the person tells their devices apart. Nothing is signed with it, and two may have the same.
             * @example Warehouse laptop
             */
            name: string;
            /**
             * @description Whether the device's maker may copy the key to other devices of the person, as its authenticator said when it was made.
             * @example true
             */
            is_syncable: boolean;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the person last signed in with it. Null before the first time.
             * @example 2026-11-01T09:30:00.000000Z
             */
            last_used_at?: string | null;
        };
        /** @description What a page needs for `navigator.credentials.create`. */
        PasskeyChallenge: {
            /**
             * @description What the authenticator must sign, in base64url. It can be answered once, within five minutes, and only by whom it was given to.
             * @example bm90IGEgcmVhbCBjaGFsbGVuZ2U
             */
            challenge: string;
            /**
             * @description The host of the setting `public_url`: `rp.id` or `rpId` of WebAuthn. A passkey works for this host alone.
             * @example dockside.example.com
             */
            relying_party_id: string;
            /**
             * @description By which authenticators know the user: `user.id` and `userHandle` of WebAuthn, in base64url. It holds neither name nor address.
             * @example AYkE9QfYAAAAAAAAAAAAAQGJBPUH2AAAAAAAAAAAAAI
             */
            user_handle: string;
            /** @description The algorithms that the server accepts, the preferred one first: `pubKeyCredParams` of WebAuthn. */
            algorithms: number[];
            /** @description The keys that the user has already, so that a device makes no second one: `excludeCredentials` of WebAuthn. */
            known_credential_ids: string[];
            /**
             * Format: date-time
             * @description From when on the challenge can't be answered any more.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at: string;
        };
        /** @description What `navigator.credentials.create` answered. */
        PasskeyInput: {
            /**
             * @description By which the person tells their devices apart. Nothing is signed with it, and two may have the same.
             * @example Warehouse laptop
             */
            name: string;
            /**
             * @description `clientDataJSON` of WebAuthn, in base64url: what the browser says of the page and of the challenge.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0
             */
            client_data: string;
            /**
             * @description `attestationObject` of WebAuthn, in base64url. Ask for the attestation `none`: no other is accepted.
             * @example o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA
             */
            attestation_object: string;
            /**
             * @description Needed if you signed in more than 15 minutes ago, or at an identity provider.
             * @example quiet harbour seven lanterns
             */
            current_password?: string | null;
        };
        /** @description What `navigator.credentials.get` answered. */
        PasskeyProofInput: {
            /**
             * @description The name that the authenticator gave the key: `rawId` of WebAuthn, in base64url.
             * @example qkBtx3GkVtfuyXVw6hhoVg
             */
            credential_id: string;
            /**
             * @description `clientDataJSON` of WebAuthn, in base64url: what the browser says of the page and of the challenge.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0
             */
            client_data: string;
            /**
             * @description `authenticatorData` of WebAuthn, in base64url. The authenticator must have verified the person.
             * @example SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ
             */
            authenticator_data: string;
            /**
             * @description `signature` of WebAuthn, in base64url, by the passkey's secret key.
             * @example MEUCIQDdFgQ1
             */
            signature: string;
            /**
             * @description By which authenticators know the user: `user.id` and `userHandle` of WebAuthn, in base64url. It holds neither name nor address.
             * @example AYkE9QfYAAAAAAAAAAAAAQGJBPUH2AAAAAAAAAAAAAI
             */
            user_handle: string;
        };
        /** @description The caller's new password. */
        PasswordInput: {
            /**
             * @description The one that is replaced. Not needed for 15 minutes after a sign-in with a link.
             * @example quiet harbour seven lanterns
             */
            current_password?: string | null;
            /**
             * @description Twelve characters or more, of any kind. Passwords that many people use are refused. Only a slow hash of it is kept (argon2id).
             * @example quiet harbour seven lanterns
             */
            new_password: string;
        };
        /** @description The request is taken. Whether a user has the address is not said. */
        PasswordReset: {
            /**
             * Format: int64
             * @description For how long the link works, if one is sent, counted from when it is made: half an hour.
             * @example 1800
             */
            link_seconds: number;
        };
        /** @description The address of a user who has forgotten the password. */
        PasswordResetInput: {
            /**
             * @description Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same.
             * @example ada@acme.example
             */
            email_address: string;
            /** @description For which organisation, for a person who has the same address in several. Without it, each of them sends a link. */
            organisation_id?: string | null;
        };
        /**
         * @description How the lists are wanted, of which part of a large batch, and for which location.
         * @example {
         *       "format": "a4"
         *     }
         */
        PickListsInput: {
            format?: ("a4" | "letter" | "4x6") | null;
            /**
             * Format: int64
             * @description Which 500 shipments of a large batch, or which 500 orders of a large wave, in their order: 1 for the first 500, 2 for the next. Needed where there are more than 500.
             * @example 1
             */
            part?: number | null;
            /** @description Only the list of this location. Without it, one list for each location that shipments leave from. */
            location_id?: string | null;
        };
        /** @description The place, by its `id`. */
        PlaceReference: {
            /** @description Made when the location is created. It stays when the name or the address changes. */
            id: string;
        };
        /** @description The place, by its `id`. */
        PlaceReferenceInput: {
            /** @description Made when the location is created. It stays when the name or the address changes. */
            id: string;
        };
        /**
         * @description The postal part of an address.
         * @example {
         *       "line_1": "1 Quay Street",
         *       "city": "Bristol",
         *       "post_code": "BS1 4DJ",
         *       "country_code": "GB"
         *     }
         */
        PostalAddress: {
            /** @description House number and street, or what the country's post uses instead. Printed as the first line below the names. */
            line_1: string;
            /** @description Flat, building or floor. Printed on a line of its own; left out where it is empty. */
            line_2?: string | null;
            /** @description For addresses that need one more line. Some carriers have two: there it joins the second. */
            line_3?: string | null;
            /** @description Town or city, as the post of the country writes it. Printed where the country's addresses have it. */
            city: string;
            /**
             * @description The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it.
             * @example CA
             */
            province?: string | null;
            /**
             * @description Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it.
             * @example SW1A 1AA
             */
            post_code?: string | null;
            /**
             * @description ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border.
             * @example GB
             * @enum {string}
             */
            country_code: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
        };
        /**
         * @description The postal part of an address.
         * @example {
         *       "line_1": "1 Quay Street",
         *       "city": "Bristol",
         *       "post_code": "BS1 4DJ",
         *       "country_code": "GB"
         *     }
         */
        PostalAddressInput: {
            /** @description House number and street, or what the country's post uses instead. Printed as the first line below the names. */
            line_1: string;
            /** @description Flat, building or floor. Printed on a line of its own; left out where it is empty. */
            line_2?: string | null;
            /** @description For addresses that need one more line. Some carriers have two: there it joins the second. */
            line_3?: string | null;
            /** @description Town or city, as the post of the country writes it. Printed where the country's addresses have it. */
            city: string;
            /**
             * @description The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it.
             * @example CA
             */
            province?: string | null;
            /**
             * @description Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it.
             * @example SW1A 1AA
             */
            post_code?: string | null;
            /**
             * @description ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border.
             * @example GB
             * @enum {string}
             */
            country_code: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
        };
        /**
         * @description The postal part of an address.
         * @example {
         *       "line_1": "1 Quay Street",
         *       "city": "Bristol",
         *       "post_code": "BS1 4DJ",
         *       "country_code": "GB"
         *     }
         */
        PostalAddressPatch: {
            /** @description House number and street, or what the country's post uses instead. Printed as the first line below the names. */
            line_1?: string;
            /** @description Flat, building or floor. Printed on a line of its own; left out where it is empty. */
            line_2?: string | null;
            /** @description For addresses that need one more line. Some carriers have two: there it joins the second. */
            line_3?: string | null;
            /** @description Town or city, as the post of the country writes it. Printed where the country's addresses have it. */
            city?: string;
            /**
             * @description The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it.
             * @example CA
             */
            province?: string | null;
            /**
             * @description Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it.
             * @example SW1A 1AA
             */
            post_code?: string | null;
            /**
             * @description ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border.
             * @example GB
             * @enum {string}
             */
            country_code?: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
        };
        /** @description A job that an agent has claimed, and its printer. */
        PrintClaim: {
            print_job: components["schemas"]["PrintJob"];
            printer: components["schemas"]["Printer"];
            /** @description The files of the job: fetch each with `GET /print_jobs/{print_job_id}/content?document=`, which counts from 1. */
            documents: components["schemas"]["ClaimedDocument"][];
            /**
             * Format: int64
             * @description The number of the claim, which rises with each. A report under an older one is refused.
             * @example 1
             */
            fence: number;
            /**
             * Format: date-time
             * @description Until when the job is the agent's. Without a report by then, it is queued again if its content was not fetched, and uncertain otherwise.
             * @example 2026-11-01T09:30:00.000000Z
             */
            lease_expires_at: string;
        };
        /** @description Which jobs an agent asks for. */
        PrintClaimInput: {
            /** @description The printers that the agent serves. An empty list, or none: all printers of the organisation whose `connection` is `agent`. */
            printer_ids?: string[] | null;
        };
        /** @description Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made. */
        PrintJob: {
            /** @description Made with the job. An IPP printer lists the job under it, so that it is found there again. */
            id: string;
            /** @description The printer that it goes to. If you leave it out: for the label of a shipment the printer that a shipping rule chose for it; else the default for the kind of document at the location that the shipment leaves from, else the default of all locations. It may be deleted after the job has ended. */
            printer_id?: string | null;
            /** @description The files to print, in this order: labels, customs papers, manifests. The token must be able to read the shipment, batch or manifest that each belongs to. 64 MiB in all. */
            document_ids: string[];
            /** @description How each of the documents is sent, in their order. Empty for a job that was made by an older version: its files are sent as they are stored. */
            sent_as: components["schemas"]["PrintRendition"][];
            /**
             * Format: int64
             * @description How often all documents are printed. 1 if you leave it out.
             * @example 1
             */
            copies?: number | null;
            /**
             * @description `queued` until its turn, `sending` while it is sent, then `printed`, `failed`, or `uncertain`: some of it left and nothing proves that it was printed. An uncertain job is never sent again by itself; look at the printer, and reprint it if nothing came out.
             * @example queued
             * @enum {string}
             */
            status: "queued" | "sending" | "printed" | "failed" | "uncertain" | "cancelled";
            /**
             * Format: int64
             * @description How often it was tried. After the fifth try that reached no printer the job has failed.
             * @example 0
             */
            tries: number;
            /**
             * Format: date-time
             * @description When the printer is tried again at the latest. A new job for the same printer makes it sooner. Null if no further try is planned.
             * @example 2026-11-01T09:30:00.000000Z
             */
            next_try_at?: string | null;
            /**
             * @description Why it waits for another try, has failed or is uncertain, for the person at the printer. Null while there is nothing to tell.
             * @example No connection to 192.168.1.20 on port 9100: it refuses connections.
             */
            message?: string | null;
            /** @description The job that this one prints once more. Null for one that was not made by a reprint. */
            reprint_of?: string | null;
            /**
             * Format: date-time
             * @description When the printer had taken all of it. Null for a job that is not printed.
             * @example 2026-11-01T09:30:00.000000Z
             */
            printed_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made. */
        PrintJobInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /** @description The printer that it goes to. If you leave it out: for the label of a shipment the printer that a shipping rule chose for it; else the default for the kind of document at the location that the shipment leaves from, else the default of all locations. It may be deleted after the job has ended. */
            printer_id?: string | null;
            /** @description The files to print, in this order: labels, customs papers, manifests. The token must be able to read the shipment, batch or manifest that each belongs to. 64 MiB in all. */
            document_ids: string[];
            /** @description Made by the server; ignored in requests. */
            sent_as?: unknown;
            /**
             * Format: int64
             * @description How often all documents are printed. 1 if you leave it out.
             * @example 1
             */
            copies?: number | null;
            /** @description Made by the server; ignored in requests. */
            status?: unknown;
            /** @description Made by the server; ignored in requests. */
            tries?: unknown;
            /** @description Made by the server; ignored in requests. */
            next_try_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            message?: unknown;
            /** @description Made by the server; ignored in requests. */
            reprint_of?: unknown;
            /** @description Made by the server; ignored in requests. */
            printed_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /**
         * @description How a document is sent. It is decided when the job is made, by what the printer takes then.
         * @example {
         *       "format": "zpl",
         *       "dpi": 300,
         *       "is_converted": true
         *     }
         */
        PrintRendition: {
            /**
             * @description What the printer gets, by the word that its `formats` have for it.
             * @example zpl
             * @enum {string}
             */
            format: "pdf" | "zpl" | "png" | "pwg";
            /**
             * Format: int64
             * @description The resolution for which it is drawn or scaled. Null for a PDF, and for a file that is sent as it is stored.
             * @example 300
             */
            dpi?: number | null;
            /**
             * @description Whether the file is made when the job is sent: a label that Dockside drew is drawn anew, a carrier's PNG is scaled, and a paper becomes PWG raster. `false`: the stored file.
             * @example true
             */
            is_converted: boolean;
        };
        /** @description What came of a claimed job. */
        PrintResultInput: {
            /**
             * Format: int64
             * @description The `fence` of the claim that the report is about.
             * @example 1
             */
            fence: number;
            /**
             * @description `unsent`: no byte left, so it is tried again after a pause. `failed`: the printer refused it. `uncertain`: some of it left, and nothing proves that it was printed.
             * @example printed
             * @enum {string}
             */
            outcome: "printed" | "unsent" | "failed" | "uncertain";
            /**
             * @description What the agent saw, for the person who looks at the job. Kept unless the job was printed.
             * @example The printer closed the connection.
             */
            message?: string | null;
        };
        /** @description A printer that documents are sent to, by the server or by a print agent. */
        Printer: {
            /** @description Made when you describe the printer. Print jobs name it. */
            id: string;
            /**
             * @description What your packers call it. Need not be unique.
             * @example Bench 3
             */
            name: string;
            /**
             * @description The protocol: `raw` sends the bytes of a file on a socket, as label printers take ZPL; `ipp` is the Internet Printing Protocol, as office printers and CUPS speak it.
             * @example raw
             * @enum {string}
             */
            kind: "raw" | "ipp";
            connection?: ("direct" | "agent") | null;
            /**
             * @description Where it is: for `raw` a host and a port (9100 if you leave the port out), for `ipp` a URL that begins with `ipp://`, `ipps://`, `http://` or `https://`.
             * @example 192.168.1.20:9100
             */
            address: string;
            /** @description The formats that it takes. A document in another format is converted to the first one of these that it can be made into: a label that Dockside drew, or a carrier's PNG; papers of Dockside become `pwg`. Other files are refused when the job is made. */
            formats: ("pdf" | "zpl" | "png" | "pwg")[];
            /**
             * Format: int64
             * @description Dots per inch. Labels that Dockside drew, and PNGs of carriers, are made anew for a printer of another resolution than 203, up to 1200. PWG raster always has this resolution, so it must be one of the printer's own. ZPL of a carrier is printed at 203 only. 203 if you leave it out.
             * @example 203
             */
            dpi?: number | null;
            /**
             * @description The paper that is in it, as IPP names it. Sent with each job to a printer of the kind `ipp`; to others it is a remark. Null: the printer's own choice.
             * @example na_index-4x6_4x6in
             */
            media?: string | null;
            /** @description The location where it stands: it is the default for what leaves from there. Null: for every location that has no default of its own. A location that is named here can't be deleted. */
            location_id?: string | null;
            /** @description For which documents it is the default at its location, or everywhere if it has none. There is one default for each kind of document and location. */
            is_default_for?: ("label" | "packing_slip" | "pick_list" | "manifest")[] | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A printer that documents are sent to, by the server or by a print agent. */
        PrinterInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What your packers call it. Need not be unique.
             * @example Bench 3
             */
            name: string;
            /**
             * @description The protocol: `raw` sends the bytes of a file on a socket, as label printers take ZPL; `ipp` is the Internet Printing Protocol, as office printers and CUPS speak it.
             * @example raw
             * @enum {string}
             */
            kind: "raw" | "ipp";
            connection?: ("direct" | "agent") | null;
            /**
             * @description Where it is: for `raw` a host and a port (9100 if you leave the port out), for `ipp` a URL that begins with `ipp://`, `ipps://`, `http://` or `https://`.
             * @example 192.168.1.20:9100
             */
            address: string;
            /** @description The formats that it takes. A document in another format is converted to the first one of these that it can be made into: a label that Dockside drew, or a carrier's PNG; papers of Dockside become `pwg`. Other files are refused when the job is made. */
            formats: ("pdf" | "zpl" | "png" | "pwg")[];
            /**
             * Format: int64
             * @description Dots per inch. Labels that Dockside drew, and PNGs of carriers, are made anew for a printer of another resolution than 203, up to 1200. PWG raster always has this resolution, so it must be one of the printer's own. ZPL of a carrier is printed at 203 only. 203 if you leave it out.
             * @example 203
             */
            dpi?: number | null;
            /**
             * @description The paper that is in it, as IPP names it. Sent with each job to a printer of the kind `ipp`; to others it is a remark. Null: the printer's own choice.
             * @example na_index-4x6_4x6in
             */
            media?: string | null;
            /** @description The location where it stands: it is the default for what leaves from there. Null: for every location that has no default of its own. A location that is named here can't be deleted. */
            location_id?: string | null;
            /** @description For which documents it is the default at its location, or everywhere if it has none. There is one default for each kind of document and location. */
            is_default_for?: ("label" | "packing_slip" | "pick_list" | "manifest")[] | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A printer that documents are sent to, by the server or by a print agent. */
        PrinterPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What your packers call it. Need not be unique.
             * @example Bench 3
             */
            name?: string;
            /**
             * @description The protocol: `raw` sends the bytes of a file on a socket, as label printers take ZPL; `ipp` is the Internet Printing Protocol, as office printers and CUPS speak it.
             * @example raw
             * @enum {string}
             */
            kind?: "raw" | "ipp";
            connection?: ("direct" | "agent") | null;
            /**
             * @description Where it is: for `raw` a host and a port (9100 if you leave the port out), for `ipp` a URL that begins with `ipp://`, `ipps://`, `http://` or `https://`.
             * @example 192.168.1.20:9100
             */
            address?: string;
            /** @description The formats that it takes. A document in another format is converted to the first one of these that it can be made into: a label that Dockside drew, or a carrier's PNG; papers of Dockside become `pwg`. Other files are refused when the job is made. */
            formats?: ("pdf" | "zpl" | "png" | "pwg")[];
            /**
             * Format: int64
             * @description Dots per inch. Labels that Dockside drew, and PNGs of carriers, are made anew for a printer of another resolution than 203, up to 1200. PWG raster always has this resolution, so it must be one of the printer's own. ZPL of a carrier is printed at 203 only. 203 if you leave it out.
             * @example 203
             */
            dpi?: number | null;
            /**
             * @description The paper that is in it, as IPP names it. Sent with each job to a printer of the kind `ipp`; to others it is a remark. Null: the printer's own choice.
             * @example na_index-4x6_4x6in
             */
            media?: string | null;
            /** @description The location where it stands: it is the default for what leaves from there. Null: for every location that has no default of its own. A location that is named here can't be deleted. */
            location_id?: string | null;
            /** @description For which documents it is the default at its location, or everywhere if it has none. There is one default for each kind of document and location. */
            is_default_for?: ("label" | "packing_slip" | "pick_list" | "manifest")[] | null;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description Why a request was refused (RFC 9457). */
        Problem: {
            /** @description The address on this server that explains the `code`, and what to do about it. */
            type: string;
            /** @description What went wrong, the same for every problem with this `code`. */
            title: string;
            /** @description The HTTP status of the answer once more, for programs that keep bodies only. */
            status: number;
            /** @description What went wrong with this very request, or what to do next. */
            detail: string;
            /**
             * @description Stable: programs may match it.
             * @enum {string}
             */
            code: "malformed_request" | "invalid_json" | "duplicate_key" | "invalid_query" | "invalid_limit" | "invalid_cursor" | "invalid_header" | "unknown_version" | "invalid_request" | "unsupported_grant_type" | "invalid_scope" | "carrier_message_invalid" | "unauthenticated" | "invalid_client" | "sign_in_failed" | "cross_site_request" | "session_required" | "current_password_wrong" | "insufficient_scope" | "forbidden_origin" | "forbidden_channel" | "file_link_invalid" | "file_link_expired" | "invalid_signature" | "not_found" | "rule_evaluation_not_found" | "method_not_allowed" | "request_timeout" | "live_world_only" | "test_world_only" | "last_admin" | "email_address_taken" | "role_in_use" | "role_built_in" | "role_name_taken" | "too_many_roles" | "too_many_users" | "passkeys_unavailable" | "mail_unavailable" | "passkey_taken" | "too_many_passkeys" | "user_disabled" | "location_missing" | "location_in_use" | "package_type_in_use" | "inventory_item_in_use" | "sku_taken" | "barcode_taken" | "reference_taken" | "on_hand_changed" | "order_not_committed" | "order_cancelled" | "order_fulfilled" | "order_partly_fulfilled" | "order_on_hold" | "lines_unmatched" | "line_matched" | "too_many_notes" | "order_items_allocated" | "exceeds_reservation" | "insufficient_stock" | "order_blocked" | "order_has_shipments" | "order_changed" | "nothing_to_ship" | "held_by_rule" | "import_has_content" | "import_ended" | "wave_running" | "wave_completed" | "wave_cancelled" | "nothing_to_retry" | "allocation_in_shipment" | "shipment_of_order" | "shipment_scanned" | "shipment_without_order" | "nothing_to_scan" | "scan_id_reused" | "too_many_scans" | "short_exceeds_missing" | "customs_lines_unmatched" | "allocation_completed" | "stock_moved" | "nothing_to_allocate" | "shipment_purchasing" | "shipment_purchased" | "shipment_voided" | "shipment_not_purchased" | "shipment_manifested" | "batch_not_finalised" | "label_format_unavailable" | "labels_set_aside" | "manifest_empty" | "shipment_changed" | "rate_expired" | "void_unsupported" | "purchase_not_in_review" | "handle_taken" | "too_many_package_types" | "nothing_to_pack" | "carrier_account_in_use" | "too_many_carrier_accounts" | "batch_finalised" | "batch_purchasing" | "batch_not_open" | "shipment_in_other_batch" | "service_already_set" | "not_provisioned" | "too_many_webhook_endpoints" | "webhook_endpoint_disabled" | "too_many_secrets" | "event_expired" | "too_many_shipping_rules" | "nothing_to_list" | "nothing_to_pick" | "label_missing" | "printer_in_use" | "default_printer_taken" | "too_many_printers" | "print_job_not_queued" | "print_job_open" | "print_claim_lost" | "idempotency_in_progress" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "validation_failed" | "unknown_field" | "shipping_rule_empty" | "shipping_rule_order_invalid" | "order_not_found" | "location_not_found" | "location_configuration_not_found" | "location_configuration_missing" | "location_configuration_ambiguous" | "destination_missing" | "customs_data_missing" | "customs_currency_mixed" | "packages_exceed_allocations" | "packages_need_location" | "shipment_not_found" | "shipment_not_in_batch" | "batch_too_large" | "batch_empty" | "service_missing" | "rate_not_found" | "carrier_not_found" | "carrier_account_not_found" | "carrier_service_not_found" | "carrier_account_invalid" | "inventory_item_not_found" | "sku_not_found" | "line_not_found" | "items_contradict_lines" | "item_not_in_order" | "item_not_in_shipment" | "package_not_found" | "item_not_in_allocation" | "allocation_not_found" | "duplicate_allocation" | "package_type_not_found" | "item_mass_missing" | "package_type_missing" | "too_many_units" | "printer_address_not_allowed" | "printer_not_found" | "printer_missing" | "printer_ambiguous" | "document_not_found" | "print_format_unsupported" | "print_dpi_unsupported" | "print_too_large" | "status_not_writable" | "url_not_allowed" | "sequence_out_of_range" | "user_not_found" | "role_not_found" | "passkey_refused" | "password_too_common" | "scope_not_held" | "logo_invalid" | "batch_part_required" | "batch_part_not_found" | "import_column_missing" | "import_empty" | "import_stopped" | "import_too_many_errors" | "ambiguous_key" | "order_rows_apart" | "row_too_large" | "row_not_text" | "wave_empty" | "wave_too_large" | "report_too_large" | "wave_part_required" | "wave_part_not_found" | "idempotency_key_reused" | "too_many_sign_ins" | "too_many_exports" | "too_many_password_resets" | "rate_limited" | "headers_too_large" | "internal_error" | "overloaded" | "store_unavailable" | "store_not_writable" | "files_unavailable" | "time_limit";
            /** @description Finds the request in the operator's log: the `X-Request-Id` that you sent, or a new one. */
            request_id: string;
            /** @description Every field at fault, all at once, up to 100. If there are more, one last entry with the code `more_errors` says how many in `omitted_count`. Empty where the request as a whole is refused. */
            errors: {
                /** @description `validation_error`, or `state_error` where the request was sound and the state of things forbids it. */
                type: string;
                /** @description The cause in a word for programs, such as `required` or `out_of_range`. Stable. */
                code: string;
                /** @description Always `request`: it is the caller's to repair. */
                source: string;
                /** @description A sentence for people that says what would be right. */
                message: string;
                /** @description Where: a JSON pointer into the body (`/items/0/quantity`), or the name of a parameter or header. */
                field: string;
            }[];
        };
        /** @description One package with its contents, and where each unit lies in it. */
        ProposedPackage: {
            package: components["schemas"]["SendablePackage"];
            /** @description Every piece in the package, from the bottom to the top, those without dimensions last. */
            units: components["schemas"]["PackedUnit"][];
            /**
             * Format: double
             * @description The part of the inner volume that units with known dimensions take, from 0 to 1.
             * @example 0.75
             */
            fill_ratio: number;
            /** @description Why this box or envelope was chosen and no other, in sentences for a person. */
            reasons: string[];
        };
        /** @description What is bought for a shipment, and how far that has come. A shipment has one. */
        PurchaseAttempt: {
            /** @description Made with the first attempt to buy a shipment, and kept for all later ones of that shipment. */
            id: string;
            /** @description The shipment that is bought. It has one attempt, however often it is tried. */
            shipment_id: string;
            /** @description The account that pays. Null if it no longer exists. */
            carrier_account?: components["schemas"]["CarrierAccountReference"] | null;
            /**
             * @description What is bought there: the handle of a service, such as `standard`.
             * @example standard
             */
            carrier_service: string;
            /**
             * @description What the carrier was told to call it: search for it in the carrier's own pages. It never changes.
             * @example shp_01jc0000000000000000000000
             */
            reference: string;
            /**
             * @description How far it has come.
             *
             *     - `ready`: It is to be bought.
             *     - `calling`: The carrier is being asked, or was when a server stopped.
             *     - `checking`: It may have been bought: the carrier is asked whether it was.
             *     - `needs_review`: It is unknown whether it was bought: a person must check with the carrier, and report the result.
             *     - `bought`: It is bought.
             *     - `failed`: It was not bought.
             *     - `voiding`: The carrier is asked to take it back and to refund it.
             *     - `voided`: The carrier has taken it back: what it charged is refunded.
             * @example needs_review
             * @enum {string}
             */
            state: "ready" | "calling" | "checking" | "needs_review" | "bought" | "failed" | "voiding" | "voided";
            /**
             * Format: int64
             * @description What the carrier charged, in the smallest unit of the currency. Null until it is known.
             * @example 1299
             */
            amount?: number | null;
            /** @description The currency of `amount` (ISO 4217). */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /** @description The carrier's numbers for following the parcels, one for each package in their order. */
            tracking_numbers: string[];
            /** @description Why it was not bought, or why it needs review. Null while nothing went wrong. */
            error?: components["schemas"]["ShipmentError"] | null;
            /**
             * @description What the person wrote who resolved it. Null if no person did, or without a word.
             * @example Seen in the carrier's list of shipments
             */
            note?: string | null;
            /**
             * Format: date-time
             * @description When the carrier is asked next, for the purchase, its label or its tracking. Null if nothing is planned.
             * @example 2026-11-01T09:30:00.000000Z
             */
            next_attempt_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /**
         * @description A rate of this shipment, or a service of an account.
         * @example {
         *       "carrier_account": "sandbox",
         *       "carrier_service": "standard"
         *     }
         */
        PurchaseInput: {
            /** @description Buys at this rate. It must be one of the shipment's `rates`, and not expired. */
            rate?: string | null;
            /**
             * @description The account that pays, by id or handle. Goes with `carrier_service`, instead of a `rate`.
             * @example sandbox
             */
            carrier_account?: string | null;
            /**
             * @description The service to buy, by id or handle. Goes with `carrier_account`, instead of a `rate`.
             * @example standard
             */
            carrier_service?: string | null;
        };
        /** @description What a carrier would take the shipment for. */
        Rate: {
            /** @description Made each time the shipment is rated: rating again, or changing the shipment, makes earlier ones invalid. */
            id: string;
            /** @description The carrier that would take the parcel for this price. */
            carrier: components["schemas"]["CarrierReference"];
            /** @description The service that is offered, which says how fast it is. */
            carrier_service: components["schemas"]["CarrierServiceReference"];
            /** @description The contract whose prices these are; buying the rate charges it. */
            carrier_account?: components["schemas"]["CarrierAccountReference"] | null;
            /**
             * Format: int64
             * @description What the carrier asks for the whole shipment, in the smallest unit of the currency: `1299` with `GBP` is £12.99. The carrier may charge another sum in the end.
             * @example 1299
             */
            rate: number;
            /**
             * @description ISO 4217: what `rate` counts, such as pence for `GBP`.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
            /**
             * Format: int64
             * @description Days from the day of shipping to delivery, as the carrier estimates it. Null if it does not say.
             * @example 2
             */
            delivery_days?: number | null;
            /**
             * Format: date-time
             * @description The day of handing over that the rate is for: `options.shipping.date`, else now.
             * @example 2026-11-01T09:30:00.000000Z
             */
            ship_date?: string | null;
            /**
             * Format: date-time
             * @description When it should arrive: `ship_date` and `delivery_days`. An estimate.
             * @example 2026-11-01T09:30:00.000000Z
             */
            delivery_date?: string | null;
            /**
             * Format: date-time
             * @description When the carrier promises that it arrives, with its own compensation. Null if it promises nothing.
             * @example 2026-11-01T09:30:00.000000Z
             */
            guaranteed_delivery_date?: string | null;
            /**
             * Format: date-time
             * @description A day after rating. Afterwards the rate can't be bought: rate again.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at: string;
        };
        /** @description A committed order's claim on stock. */
        Reservation: {
            /** @description The order, by its id. Cancelling or deleting it gives the reserved pieces free. */
            order: components["schemas"]["OrderReference"];
            /** @description What the order reserves, and how much of that is assigned to locations. */
            items: components["schemas"]["ReservationItem"][];
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description What an order wants of an item, and how much of that is allocated. */
        ReservationItem: {
            /** @description Made when the item is created. Orders, levels and allocations name the item by it, not by its SKU. */
            id: string;
            /**
             * Format: int64
             * @description Pieces that the order wants, and that are therefore reserved.
             * @example 2
             */
            quantity: number;
            /**
             * Format: int64
             * @description Pieces that are allocated to locations, open and completed. Never exceeds `quantity`.
             * @example 1
             */
            allocated_quantity: number;
        };
        /**
         * @description What a person found out about a purchase that needs review.
         * @example {
         *       "outcome": "bought",
         *       "tracking_numbers": [
         *         "SB123456785GB"
         *       ]
         *     }
         */
        ResolutionInput: {
            /**
             * @description What you found in the carrier's own pages, under the purchase's `reference`.
             * @example bought
             * @enum {string}
             */
            outcome: "bought" | "not_bought";
            /** @description The carrier's numbers, one for each package in their order. Required with the outcome `bought`. */
            tracking_numbers?: string[] | null;
            /** @description The carrier's own number of the purchase, needed to void it or to ask where it is. */
            carrier_purchase?: string | null;
            /**
             * Format: int64
             * @description What the carrier charged, in the smallest unit of the currency, if you know.
             * @example 1299
             */
            amount?: number | null;
            /** @description The currency of `amount` (ISO 4217). */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * @description How you know, in up to 2,000 characters without line breaks. It is kept with the purchase, and in the event `purchase_attempt.resolved`.
             * @example Seen in the carrier's list of shipments
             */
            note?: string | null;
        };
        /** @description A set of scopes that users have by their `roles`. */
        Role: {
            /** @description Names a set of scopes, in `roles` of a user and in paths. The built-in ones have the same ids in every organisation. */
            id: string;
            /**
             * @description What people call the role, such as the job that it is for. Two roles can't have the same name.
             * @example Returns desk
             */
            name: string;
            /**
             * @description True for `admin`, `manager`, `packer` and `viewer`, which every organisation has and none can change.
             * @example false
             */
            is_built_in: boolean;
            /** @description What the role allows. `events:read` is part of every role. You can give only scopes that you have yourself. */
            scopes: string[];
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A set of scopes that users have by their `roles`. */
        RoleInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What people call the role, such as the job that it is for. Two roles can't have the same name.
             * @example Returns desk
             */
            name: string;
            /** @description Made by the server; ignored in requests. */
            is_built_in?: unknown;
            /** @description What the role allows. `events:read` is part of every role. You can give only scopes that you have yourself. */
            scopes: string[];
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A set of scopes that users have by their `roles`. */
        RolePatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What people call the role, such as the job that it is for. Two roles can't have the same name.
             * @example Returns desk
             */
            name?: string;
            /** @description Made by the server; ignored in requests. */
            is_built_in?: unknown;
            /** @description What the role allows. `events:read` is part of every role. You can give only scopes that you have yourself. */
            scopes?: string[];
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /**
         * @description A carrier account, or one of its services.
         * @example {
         *       "carrier_account": "sandbox"
         *     }
         */
        RuleCandidate: {
            /**
             * @description The account that is asked for rates, by its id or its handle; kept as the id. It must be enabled when the rule is written.
             * @example sandbox
             */
            carrier_account: string;
            /**
             * @description Only this service of the account, by its id or its handle; kept as the handle. Without it, all of the account's services.
             * @example standard
             */
            carrier_service?: string | null;
        };
        /**
         * @description A carrier account, or one of its services.
         * @example {
         *       "carrier_account": "sandbox"
         *     }
         */
        RuleCandidateInput: {
            /**
             * @description The account that is asked for rates, by its id or its handle; kept as the id. It must be enabled when the rule is written.
             * @example sandbox
             */
            carrier_account: string;
            /**
             * @description Only this service of the account, by its id or its handle; kept as the handle. Without it, all of the account's services.
             * @example standard
             */
            carrier_service?: string | null;
        };
        /**
         * @description Chooses a service by the rates that carriers offer for the shipment.
         * @example {
         *       "by": "cheapest",
         *       "among": [
         *         {
         *           "carrier_account": "sandbox"
         *         }
         *       ]
         *     }
         */
        RuleChoice: {
            /**
             * @description `cheapest`: the lowest rate. `fastest`: the fewest days until delivery, then the lowest rate. `cheapest_within_days`: the lowest rate that arrives within `days`.
             * @example cheapest
             * @enum {string}
             */
            by: "cheapest" | "fastest" | "cheapest_within_days";
            /**
             * Format: int64
             * @description The most days from shipping to delivery. Required with `cheapest_within_days`, and refused otherwise.
             * @example 2
             */
            days?: number | null;
            /** @description The accounts and services to choose from. Without it, all accounts that are enabled. */
            among?: components["schemas"]["RuleCandidate"][] | null;
        };
        /**
         * @description Chooses a service by the rates that carriers offer for the shipment.
         * @example {
         *       "by": "cheapest",
         *       "among": [
         *         {
         *           "carrier_account": "sandbox"
         *         }
         *       ]
         *     }
         */
        RuleChoiceInput: {
            /**
             * @description `cheapest`: the lowest rate. `fastest`: the fewest days until delivery, then the lowest rate. `cheapest_within_days`: the lowest rate that arrives within `days`.
             * @example cheapest
             * @enum {string}
             */
            by: "cheapest" | "fastest" | "cheapest_within_days";
            /**
             * Format: int64
             * @description The most days from shipping to delivery. Required with `cheapest_within_days`, and refused otherwise.
             * @example 2
             */
            days?: number | null;
            /** @description The accounts and services to choose from. Without it, all accounts that are enabled. */
            among?: components["schemas"]["RuleCandidateInput"][] | null;
        };
        /**
         * @description The decision that the order waits. The server does not hold it by itself: send the reason to `POST /orders/{order_id}/hold`. Other rules still set their fields.
         * @example {
         *       "reason": "Ask for the customs number"
         *     }
         */
        RuleHold: {
            /**
             * @description Why the order must be checked before it is shipped. Part of the decision.
             * @example Ask for the customs number
             */
            reason: string;
        };
        /**
         * @description The decision that the order waits. The server does not hold it by itself: send the reason to `POST /orders/{order_id}/hold`. Other rules still set their fields.
         * @example {
         *       "reason": "Ask for the customs number"
         *     }
         */
        RuleHoldInput: {
            /**
             * @description Why the order must be checked before it is shipped. Part of the decision.
             * @example Ask for the customs number
             */
            reason: string;
        };
        /**
         * @description Options of the shipment, each of which the first matching rule that has it sets.
         * @example {
         *       "signature_type": "adult",
         *       "label_format": "zpl"
         *     }
         */
        RuleOptions: {
            /** @description Sets `options.shipping.signature_type`: who must sign at the door, such as an `adult`; `none` asks for no signature. */
            signature_type?: ("standard" | "adult" | "direct" | "indirect" | "certified" | "carrier_confirmation" | "none") | null;
            /**
             * @description Sets `options.shipping.saturday_delivery`: `true` asks for delivery on a Saturday, which costs extra.
             * @example true
             */
            saturday_delivery?: boolean | null;
            /** @description Sets `options.label.format`: `png`, `pdf`, or `zpl` for label printers. */
            label_format?: ("png" | "zpl" | "pdf") | null;
            insure_from?: components["schemas"]["InsureFrom"] | null;
            /** @description Sets `customs.incoterm`: who pays carriage, duty and tax. `DDP`: the sender; `DAP`: the recipient pays on arrival. */
            incoterm?: ("EXW" | "FCA" | "CPT" | "CIP" | "DAP" | "DPU" | "DDP" | "FAS" | "FOB" | "CFR" | "CIF" | "DAT" | "DDU" | "DAF" | "DEQ" | "DES") | null;
            /** @description Sets `customs.contents_type`: what is declared on customs papers, such as `merchandise`. */
            contents_type?: ("documents" | "gift" | "merchandise" | "returned_goods" | "sample" | "dangerous_goods" | "humanitarian_donation" | "other") | null;
        };
        /**
         * @description Options of the shipment, each of which the first matching rule that has it sets.
         * @example {
         *       "signature_type": "adult",
         *       "label_format": "zpl"
         *     }
         */
        RuleOptionsInput: {
            /** @description Sets `options.shipping.signature_type`: who must sign at the door, such as an `adult`; `none` asks for no signature. */
            signature_type?: ("standard" | "adult" | "direct" | "indirect" | "certified" | "carrier_confirmation" | "none") | null;
            /**
             * @description Sets `options.shipping.saturday_delivery`: `true` asks for delivery on a Saturday, which costs extra.
             * @example true
             */
            saturday_delivery?: boolean | null;
            /** @description Sets `options.label.format`: `png`, `pdf`, or `zpl` for label printers. */
            label_format?: ("png" | "zpl" | "pdf") | null;
            insure_from?: components["schemas"]["InsureFromInput"] | null;
            /** @description Sets `customs.incoterm`: who pays carriage, duty and tax. `DDP`: the sender; `DAP`: the recipient pays on arrival. */
            incoterm?: ("EXW" | "FCA" | "CPT" | "CIP" | "DAP" | "DPU" | "DDP" | "FAS" | "FOB" | "CFR" | "CIF" | "DAT" | "DDU" | "DAF" | "DEQ" | "DES") | null;
            /** @description Sets `customs.contents_type`: what is declared on customs papers, such as `merchandise`. */
            contents_type?: ("documents" | "gift" | "merchandise" | "returned_goods" | "sample" | "dangerous_goods" | "humanitarian_donation" | "other") | null;
        };
        /**
         * @description A service of a carrier account, as in a purchase.
         * @example {
         *       "carrier_account": "sandbox",
         *       "carrier_service": "standard"
         *     }
         */
        RuleService: {
            /**
             * @description The account that pays, by its id or its handle; kept as the id. It must be enabled when the rule is written. While a rule names it, it can't be deleted.
             * @example sandbox
             */
            carrier_account: string;
            /**
             * @description The service to buy there, by its id or its handle; kept as the handle.
             * @example standard
             */
            carrier_service: string;
        };
        /**
         * @description A service of a carrier account, as in a purchase.
         * @example {
         *       "carrier_account": "sandbox",
         *       "carrier_service": "standard"
         *     }
         */
        RuleServiceInput: {
            /**
             * @description The account that pays, by its id or its handle; kept as the id. It must be enabled when the rule is written. While a rule names it, it can't be deleted.
             * @example sandbox
             */
            carrier_account: string;
            /**
             * @description The service to buy there, by its id or its handle; kept as the handle.
             * @example standard
             */
            carrier_service: string;
        };
        /** @description How much of the sample shop is there. */
        SampleData: {
            /**
             * @description `completed` if the shop is there, `running` if some of it is still to be made: repeat the request to go on.
             * @example completed
             * @enum {string}
             */
            status: "running" | "completed";
            /** @description How much of each kind is there, in the order in which they are made. */
            resources: components["schemas"]["SampleDataCount"][];
            /** @description What was refused, and why. Empty in an organisation with room for the shop. */
            refused: components["schemas"]["SampleDataRefusal"][];
            /**
             * Format: date-time
             * @description When the shop was begun. The times of its orders lie around this moment.
             * @example 2026-11-01T09:30:00.000000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When the last of it was made. Null until then.
             * @example 2026-11-01T09:30:00.000000Z
             */
            completed_at?: string | null;
        };
        /** @description How much of one kind of resource is there. */
        SampleDataCount: {
            /**
             * @description What is counted. `order_plans` are orders whose items are allocated by a plan.
             * @example orders
             * @enum {string}
             */
            name: "locations" | "location_configurations" | "package_types" | "shipping_rules" | "inventory_items" | "inventory_levels" | "orders" | "order_holds" | "order_exceptions" | "order_plans" | "waves" | "manifests";
            /**
             * Format: int64
             * @description How many of this kind a complete shop has, such as 120 orders.
             * @example 120
             */
            total_count: number;
            /**
             * Format: int64
             * @description How many of them are there, whichever request made them. What was deleted since is counted too, and not made again.
             * @example 120
             */
            present_count: number;
            /**
             * Format: int64
             * @description How many of this kind were made by this request. A repeated one makes only what earlier ones left open.
             * @example 120
             */
            created_count: number;
        };
        /** @description A part of the shop that was refused, as a request of yours would have been. It is not tried again. */
        SampleDataRefusal: {
            /**
             * @description Which part is meant: the kind of thing, and its own word behind the slash.
             * @example shipping_rule/express
             */
            name: string;
            /**
             * @description Why it was refused: the `code` that a problem document of a request would have.
             * @example too_many_shipping_rules
             */
            code: string;
        };
        /** @description A code that was scanned for a shipment, by whom and when, and what it meant. */
        Scan: {
            /** @description Made with the scan; scans are listed by it, newest first. Paths name a scan by your own `scan_id`. */
            id: string;
            /**
             * @description Made by you, such as a UUID, and unique in the shipment: letters, digits, `-` and `_`. A request that is repeated with it counts once.
             * @example 9f1c2a7e-5b1d-4a57-9d0e-0a4c3f6b8e21
             */
            scan_id: string;
            /** @description Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages. */
            shipment_id: string;
            /**
             * @description What the scanner read: a barcode or the SKU of an item, or a `bin`. Barcodes come before SKUs, and SKUs before bins. A valid GTIN matches with and without zeros in front.
             * @example 4006381333931
             */
            code: string;
            /**
             * Format: int64
             * @description The box that the request named. Null if it named none; `parts` says where the units count.
             * @example 1
             */
            package?: number | null;
            /**
             * Format: int64
             * @description Units that the request scanned.
             * @example 2
             */
            quantity: number;
            /** @description What follows when this scan makes the shipment complete; nothing otherwise. `purchase` needs `shipments:purchase`, `print` needs `print_jobs:write`; a token without it is refused before the scan counts. */
            then: ("purchase" | "print")[];
            /**
             * @description What the code meant.
             *
             *     - `packed`: the units count as packed. Nothing else counts.
             *     - `not_in_shipment`: no package is to hold the item.
             *     - `already_packed`: fewer units are missing than were scanned.
             *     - `wrong_package`: the item belongs into another package than `package`.
             *     - `bin_confirmed`: it is the bin of an item that is missing.
             *     - `wrong_bin`: it is a bin of the location from which nothing is missing.
             *     - `unknown_code`: no item and no bin has it.
             *     - `ambiguous_code`: several items have it as their SKU, in different spellings of one GTIN.
             * @example packed
             * @enum {string}
             */
            result: "packed" | "not_in_shipment" | "already_packed" | "wrong_package" | "bin_confirmed" | "wrong_bin" | "unknown_code" | "ambiguous_code";
            /** @description The item that has the code, whether it is in the shipment or not. Null if none or several have it. */
            item_id?: string | null;
            /** @description What became of the purchase. Null if the scan did not complete the shipment, or asked for none. */
            purchase?: components["schemas"]["ScanPurchase"] | null;
            /** @description What became of the labels. Null if the scan did not complete the shipment, or asked for none. */
            print?: components["schemas"]["ScanPrint"] | null;
            /** @description The user whose access token scanned it. */
            user_id: string;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /** @description The packages in which the units count. Empty unless the `result` is `packed`. A package that a short pick removes no longer counts, so later ones move up. */
            parts: components["schemas"]["ScanPart"][];
        };
        /** @description A scan, and how far its shipment is packed now. */
        ScanAnswer: {
            /** @description Made with the scan; scans are listed by it, newest first. Paths name a scan by your own `scan_id`. */
            id: string;
            /**
             * @description Made by you, such as a UUID, and unique in the shipment: letters, digits, `-` and `_`. A request that is repeated with it counts once.
             * @example 9f1c2a7e-5b1d-4a57-9d0e-0a4c3f6b8e21
             */
            scan_id: string;
            /** @description Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages. */
            shipment_id: string;
            /**
             * @description What the scanner read: a barcode or the SKU of an item, or a `bin`. Barcodes come before SKUs, and SKUs before bins. A valid GTIN matches with and without zeros in front.
             * @example 4006381333931
             */
            code: string;
            /**
             * Format: int64
             * @description The box that the request named. Null if it named none; `parts` says where the units count.
             * @example 1
             */
            package?: number | null;
            /**
             * Format: int64
             * @description Units that the request scanned.
             * @example 2
             */
            quantity: number;
            /** @description What follows when this scan makes the shipment complete; nothing otherwise. `purchase` needs `shipments:purchase`, `print` needs `print_jobs:write`; a token without it is refused before the scan counts. */
            then: ("purchase" | "print")[];
            /**
             * @description What the code meant.
             *
             *     - `packed`: the units count as packed. Nothing else counts.
             *     - `not_in_shipment`: no package is to hold the item.
             *     - `already_packed`: fewer units are missing than were scanned.
             *     - `wrong_package`: the item belongs into another package than `package`.
             *     - `bin_confirmed`: it is the bin of an item that is missing.
             *     - `wrong_bin`: it is a bin of the location from which nothing is missing.
             *     - `unknown_code`: no item and no bin has it.
             *     - `ambiguous_code`: several items have it as their SKU, in different spellings of one GTIN.
             * @example packed
             * @enum {string}
             */
            result: "packed" | "not_in_shipment" | "already_packed" | "wrong_package" | "bin_confirmed" | "wrong_bin" | "unknown_code" | "ambiguous_code";
            /** @description The item that has the code, whether it is in the shipment or not. Null if none or several have it. */
            item_id?: string | null;
            /** @description What became of the purchase. Null if the scan did not complete the shipment, or asked for none. */
            purchase?: components["schemas"]["ScanPurchase"] | null;
            /** @description What became of the labels. Null if the scan did not complete the shipment, or asked for none. */
            print?: components["schemas"]["ScanPrint"] | null;
            /** @description The user whose access token scanned it. */
            user_id: string;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /** @description The packages in which the units count. Empty unless the `result` is `packed`. A package that a short pick removes no longer counts, so later ones move up. */
            parts: components["schemas"]["ScanPart"][];
            /**
             * @description How far the shipment is now, such as `draft` or `purchased`.
             * @example purchased
             * @enum {string}
             */
            shipment_status: "draft" | "rated" | "purchasing" | "purchased" | "purchase_failed" | "voided";
            /**
             * Format: date-time
             * @description When the last unit was scanned. Null while units are missing.
             * @example 2026-11-01T09:30:00.000000Z
             */
            packed_at?: string | null;
            /**
             * @description Whether no unit of the shipment is missing any more.
             * @example true
             */
            is_complete: boolean;
            /**
             * Format: int64
             * @description Units of all packages that scans have counted.
             * @example 2
             */
            packed_quantity: number;
            /**
             * Format: int64
             * @description Units of all packages that are still to be scanned.
             * @example 2
             */
            missing_quantity: number;
            /** @description What is packed and what is missing, box by box. Boxes without `items` are left out. */
            packages: components["schemas"]["PackageProgress"][];
        };
        /** @description A code that a packer scanned. */
        ScanInput: {
            /**
             * @description Made by you, such as a UUID, and unique in the shipment: letters, digits, `-` and `_`. A request that is repeated with it counts once.
             * @example 9f1c2a7e-5b1d-4a57-9d0e-0a4c3f6b8e21
             */
            scan_id: string;
            /**
             * @description What the scanner read: a barcode or the SKU of an item, or a `bin`. Barcodes come before SKUs, and SKUs before bins. A valid GTIN matches with and without zeros in front.
             * @example 4006381333931
             */
            code: string;
            /**
             * Format: int64
             * @description The box into which the item goes, by its number from 1 on. Without it: the first that misses the units.
             * @example 1
             */
            package?: number | null;
            /**
             * Format: int64
             * @description Units that this scan counts. All or none: if fewer are missing, the result is `already_packed`. 1 if you leave it out.
             * @example 2
             */
            quantity?: number | null;
            /** @description What follows when this scan makes the shipment complete; nothing otherwise. `purchase` needs `shipments:purchase`, `print` needs `print_jobs:write`; a token without it is refused before the scan counts. */
            then?: ("purchase" | "print")[] | null;
        };
        /** @description Where units of a scan are counted. */
        ScanPart: {
            /**
             * Format: int64
             * @description The place of the box in the shipment's `packages`, counted from 1.
             * @example 1
             */
            package: number;
            /**
             * Format: int64
             * @description Units of the scan that count in this package.
             * @example 2
             */
            quantity: number;
        };
        /** @description What became of the labels that the scan asked to print. */
        ScanPrint: {
            /**
             * @description `waiting` while the purchase is under way or the carrier still owes the label: the server prints it by itself when it arrives, also after a restart. `queued`: a print job has it. `failed`: `problem` says why, and `POST /print_jobs` prints it.
             * @example queued
             * @enum {string}
             */
            status: "waiting" | "queued" | "failed";
            /** @description The print job that has the labels; follow it by its events. Null before there is one. */
            print_job_id?: string | null;
            problem?: components["schemas"]["ScanStepProblem"] | null;
        };
        /** @description What became of the purchase that the scan asked for. */
        ScanPurchase: {
            /**
             * @description `pending` only if the server stopped right after it had counted the scan: repeat the request. `purchasing` while the carrier has not answered. `failed`: `problem` says why, and `POST /shipments/{shipment_id}/purchase` tries again.
             * @example purchased
             * @enum {string}
             */
            status: "pending" | "purchasing" | "purchased" | "failed";
            problem?: components["schemas"]["ScanStepProblem"] | null;
        };
        /** @description Why the step failed. The scan counts all the same. */
        ScanStepProblem: {
            /**
             * @description The stable word to match on: that of a problem, or of an error of the shipment.
             * @example printer_missing
             */
            code: string;
            /**
             * @description What went wrong, in a sentence for the person at the packing table.
             * @example No printer is the default for `label` there.
             */
            message: string;
        };
        /** @description Something that a search found, and why. */
        SearchResult: {
            /**
             * @description Which kind of resource was found. Read it by its id, such as at `/orders/{id}` for an `order`.
             * @example order
             * @enum {string}
             */
            type: "order" | "inventory_item" | "shipment" | "batch" | "location";
            /**
             * @description Identifies what was found, within its type.
             * @example ord_01k8zr4e5t6y7m8n9pqrstvwxy
             */
            id: string;
            /**
             * @description What people call it: the number of an order, the name of an item. The id, if it has neither a name nor a number.
             * @example SO-1001
             */
            title: string;
            /**
             * @description What tells it from others of the same title: the customer of an order, the SKU of an item, the recipient of a shipment, the city of a location. Null if it has none.
             * @example Anna Müller
             */
            subtitle?: string | null;
            /**
             * @description Which field of the resource matched first, as a JSON pointer into it.
             * @example /customer/name
             */
            matched_field: string;
            /**
             * @description How it matched: `exact` if the field is what you typed, `prefix` if it begins with it, `word` if every word that you typed begins a word of the resource.
             * @example prefix
             * @enum {string}
             */
            match: "exact" | "prefix" | "word";
        };
        /** @description What to send: put it into the `packages` of a new shipment as it is. */
        SendablePackage: {
            /**
             * @description What your packers call this box or envelope.
             * @example Small box
             */
            name?: string | null;
            /** @description The outer dimensions of the package type, and the mass of the contents and the empty package. */
            geometry: components["schemas"]["Geometry"];
            /** @description What is inside, summed by inventory item. */
            items: components["schemas"]["PackageItem"][];
            /** @description Which box or envelope to take from the shelf. */
            package_type_id: string;
        };
        /** @description A person's sign-in, in one browser. */
        Session: {
            /** @description Names a sign-in without giving access: the secret is in the cookie alone. `DELETE /sessions/{session_id}` takes it. */
            id: string;
            /** @description Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it. */
            user_id: string;
            /**
             * @description How the person proved who they are: with the `password`, with a one-time `link`, at an identity provider (`openid_connect`), or with a `passkey`.
             * @enum {string}
             */
            began_with: "password" | "link" | "openid_connect" | "passkey";
            /**
             * @description How the browser described itself when the person signed in. A hint for people; browsers may lie.
             * @example Mozilla/5.0 (X11; Linux x86_64)
             */
            user_agent?: string | null;
            /**
             * @description Whether this very request was made in it.
             * @example true
             */
            is_current: boolean;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a request was last made in it, to within five minutes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            seen_at: string;
            /**
             * Format: date-time
             * @description When it ends unless a request is made before: twelve hours after the last one.
             * @example 2026-11-01T09:30:00.000000Z
             */
            idle_expires_at: string;
            /**
             * Format: date-time
             * @description When it ends in any case: thirty days after the sign-in.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at: string;
        };
        /** @description What a page needs for `navigator.credentials.get`. It names no key, so it tells nothing of who has one. */
        SessionChallenge: {
            /**
             * @description What the authenticator must sign, in base64url. It can be answered once, within five minutes, and only by whom it was given to.
             * @example bm90IGEgcmVhbCBjaGFsbGVuZ2U
             */
            challenge: string;
            /**
             * @description The host of the setting `public_url`: `rp.id` or `rpId` of WebAuthn. A passkey works for this host alone.
             * @example dockside.example.com
             */
            relying_party_id: string;
            /**
             * Format: date-time
             * @description From when on the challenge can't be answered any more.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at: string;
        };
        /** @description An address and a password, the token of a one-time link, or the answer of a passkey. */
        SessionInput: {
            /**
             * @description Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same.
             * @example ada@acme.example
             */
            email_address?: string | null;
            /**
             * @description What the user has set with `PUT /me/password`. Send it over TLS only.
             * @example quiet harbour seven lanterns
             */
            password?: string | null;
            /** @description Which organisation to sign in to, for a person who has the same address in several. Without it, the first whose password matches. */
            organisation_id?: string | null;
            /** @description What stands behind the `#` of a one-time sign-in link. Send it instead of address and password. */
            link_token?: string | null;
            /** @description The answer of a passkey to the challenge of `POST /sessions/challenge`. Send it instead of address and password. */
            passkey?: components["schemas"]["PasskeyProofInput"] | null;
        };
        /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
        Shipment: {
            /** @description Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages. */
            id: string;
            /**
             * @description A name or reference of your own, such as the order's number. Need not be unique.
             * @example Order 1042
             */
            name?: string | null;
            addresses: components["schemas"]["ShipmentAddresses"];
            /** @description Tax registrations of sender, recipient or importer, for customs papers and carriers. */
            tax_identifiers?: components["schemas"]["TaxIdentifier"][] | null;
            /** @description The parcels that travel together under one purchase. Each gets a label and a tracking number. */
            packages: components["schemas"]["Package"][];
            customs?: components["schemas"]["Customs"] | null;
            options?: components["schemas"]["ShipmentOptions"] | null;
            carrier?: components["schemas"]["CarrierChoice"] | null;
            /** @description Labels and customs papers, once it is bought. Each link lives an hour; read again for new ones. */
            documents: components["schemas"]["Document"][];
            /** @description What carriers asked for it when it was last rated, cheapest first. Emptied when the shipment changes. */
            rates: components["schemas"]["Rate"][];
            service?: components["schemas"]["ChosenService"] | null;
            cost?: components["schemas"]["ShipmentCost"] | null;
            /**
             * @description `draft` when made, `rated` with rates, `purchasing` while the carrier is asked, then `purchased` or `purchase_failed`, which can be repaired and bought again. `voided`: the carrier took the label back and refunds it.
             * @example purchased
             * @enum {string}
             */
            status: "draft" | "rated" | "purchasing" | "purchased" | "purchase_failed" | "voided";
            /**
             * @description What the carrier last reported: `pre_transit` once it is bought, then on to `delivered`, `return_to_sender`, `failure` or `cancelled`, which are final. `unknown` before it is bought.
             * @example in_transit
             * @enum {string}
             */
            tracking_status: "unknown" | "pre_transit" | "in_transit" | "out_for_delivery" | "available_for_pickup" | "delivered" | "return_to_sender" | "failure" | "cancelled";
            /**
             * @description The carrier's number of the first package, once it is bought; each package has its own. Null before.
             * @example SB123456785GB
             */
            tracking_number?: string | null;
            /**
             * @description Whether it is purchased and the carrier delivers its label later. `shipment.updated` is sent when the label arrives.
             * @example false
             */
            label_pending: boolean;
            /** @description Why rating, buying, labelling or voiding failed; the newest last. Empty while all is well. */
            errors: components["schemas"]["ShipmentError"][];
            /** @description The `ord_…` that it was made from. Null if it was made by itself, or its order's allocations were deleted after it was bought. */
            order_id?: string | null;
            /** @description What completes the allocations in it and takes their stock: `purchase` or `hand_over`. Copied from the location configuration; null if it was not made from an order. */
            complete_allocations_on?: ("purchase" | "hand_over") | null;
            /**
             * Format: date-time
             * @description When the carrier got the parcels, as the first of these says: a manifest, tracking, or `POST /shipments/{shipment_id}/hand_over`. Null before, and for manifests of parcels that were not made from orders.
             * @example 2026-11-01T09:30:00.000000Z
             */
            handed_over_at?: string | null;
            /** @description The `rule_…` that chose its service when it was made from an order. Null if no rule did. */
            rule_id?: string | null;
            /**
             * Format: date-time
             * @description When `POST /shipments/{shipment_id}/scans` had counted the last unit of its packages. Null while units are missing, and if nothing is scanned.
             * @example 2026-11-01T09:30:00.000000Z
             */
            packed_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description Where it goes, where it comes from, and where it goes back to. Copies: nothing changes them later. */
        ShipmentAddresses: {
            /** @description Where the parcel goes: printed large on the label. */
            destination: components["schemas"]["AddressRecord"];
            /** @description Where it leaves from, printed as the sender. Without it, that of `location_configuration_id` is copied. */
            origin?: components["schemas"]["AddressRecord"] | null;
            /** @description Where it goes back to if it can't be delivered. Without it, that of `location_configuration_id` is copied. */
            return?: components["schemas"]["AddressRecord"] | null;
            /** @description Whose locations are copied as origin and return address, as they are now. Later changes of the locations leave the shipment alone. */
            location_configuration_id?: string | null;
        };
        /** @description Where it goes, where it comes from, and where it goes back to. Copies: nothing changes them later. */
        ShipmentAddressesInput: {
            /** @description Where the parcel goes: printed large on the label. */
            destination: components["schemas"]["AddressRecordInput"];
            /** @description Where it leaves from, printed as the sender. Without it, that of `location_configuration_id` is copied. */
            origin?: components["schemas"]["AddressRecordInput"] | null;
            /** @description Where it goes back to if it can't be delivered. Without it, that of `location_configuration_id` is copied. */
            return?: components["schemas"]["AddressRecordInput"] | null;
            /** @description Whose locations are copied as origin and return address, as they are now. Later changes of the locations leave the shipment alone. */
            location_configuration_id?: string | null;
        };
        /** @description Where it goes, where it comes from, and where it goes back to. Copies: nothing changes them later. */
        ShipmentAddressesPatch: {
            /** @description Where the parcel goes: printed large on the label. */
            destination?: components["schemas"]["AddressRecordPatch"];
            /** @description Where it leaves from, printed as the sender. Without it, that of `location_configuration_id` is copied. */
            origin?: components["schemas"]["AddressRecordInput"] | null;
            /** @description Where it goes back to if it can't be delivered. Without it, that of `location_configuration_id` is copied. */
            return?: components["schemas"]["AddressRecordInput"] | null;
            /** @description Whose locations are copied as origin and return address, as they are now. Later changes of the locations leave the shipment alone. */
            location_configuration_id?: string | null;
        };
        /** @description The resource by its `id`. Its other fields, as they were read, are taken too and ignored. */
        ShipmentById: {
            /** @description Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages. */
            id: string;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            name?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            status?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            errors?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            addresses?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            tax_identifiers?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            packages?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            customs?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            options?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            carrier?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            documents?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            rates?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            service?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            cost?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            tracking_status?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            tracking_number?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            label_pending?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            order_id?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            complete_allocations_on?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            handed_over_at?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            rule_id?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            packed_at?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            created_at?: unknown;
            /** @description May be sent back as it was read. The server ignores it here: only the `id` counts. */
            updated_at?: unknown;
        };
        /** @description What the carrier charged for it. If the carrier states no amount, the price of the rate that was bought. Null before it is purchased. */
        ShipmentCost: {
            /**
             * Format: int64
             * @description A whole number of the currency's smallest unit: `1299` with `GBP` is £12.99, with `JPY` ¥1299. A fraction is refused.
             * @example 1299
             */
            amount: number;
            /**
             * @description ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /** @description Something that went wrong with a shipment. */
        ShipmentError: {
            /**
             * @description What was being done: rating, buying, labelling, voiding or closing out.
             * @example rate_error
             * @enum {string}
             */
            type: "validation_error" | "rate_error" | "purchase_error" | "label_error" | "manifest_error" | "void_error";
            /**
             * @description The cause, for programs. Stable: match on it, not on `message`.
             * @example rates_unavailable
             * @enum {string}
             */
            code: "rates_unavailable" | "rate_expired" | "address_invalid" | "post_code_invalid" | "service_unavailable" | "insufficient_funds" | "credentials_invalid" | "customs_required" | "weight_limit" | "dimensions_limit" | "label_format_unavailable" | "option_unavailable" | "purchase_declined" | "provider_timeout" | "provider_unavailable" | "outcome_unknown" | "duplicate_purchase_voided" | "insufficient_stock" | "order_on_hold" | "order_cancelled" | "order_blocked";
            /**
             * @description Who refused: the `carrier` in its own words, the `provider` between (it did not answer), or the `service`: Dockside itself.
             * @example provider
             * @enum {string}
             */
            source: "request" | "service" | "carrier" | "provider";
            /**
             * @description A sentence for people, often the carrier's own. Its wording may change at any time.
             * @example No service carries this parcel to this address.
             */
            message: string;
            /**
             * Format: int64
             * @description The number of the package that it is about, from 1 on. Absent where it is about the whole shipment.
             * @example 2
             */
            package?: number | null;
        };
        /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
        ShipmentInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description A name or reference of your own, such as the order's number. Need not be unique.
             * @example Order 1042
             */
            name?: string | null;
            addresses: components["schemas"]["ShipmentAddressesInput"];
            /** @description Tax registrations of sender, recipient or importer, for customs papers and carriers. */
            tax_identifiers?: components["schemas"]["TaxIdentifierInput"][] | null;
            /** @description The parcels that travel together under one purchase. Each gets a label and a tracking number. */
            packages: components["schemas"]["PackageInput"][];
            customs?: components["schemas"]["CustomsInput"] | null;
            options?: components["schemas"]["ShipmentOptionsInput"] | null;
            carrier?: components["schemas"]["CarrierChoiceInput"] | null;
            /** @description Made by the server; ignored in requests. */
            documents?: unknown;
            /** @description Made by the server; ignored in requests. */
            rates?: unknown;
            /** @description Made by the server; ignored in requests. */
            service?: unknown;
            /** @description Made by the server; ignored in requests. */
            cost?: unknown;
            /** @description Made by the server; ignored in requests. */
            status?: unknown;
            /** @description Made by the server; ignored in requests. */
            tracking_status?: unknown;
            /** @description Made by the server; ignored in requests. */
            tracking_number?: unknown;
            /** @description Made by the server; ignored in requests. */
            label_pending?: unknown;
            /** @description Made by the server; ignored in requests. */
            errors?: unknown;
            /** @description Made by the server; ignored in requests. */
            order_id?: unknown;
            /** @description Made by the server; ignored in requests. */
            complete_allocations_on?: unknown;
            /** @description Made by the server; ignored in requests. */
            handed_over_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            rule_id?: unknown;
            /** @description Made by the server; ignored in requests. */
            packed_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description How the shipment is to be carried, labelled and insured. */
        ShipmentOptions: {
            shipping?: components["schemas"]["ShippingOptions"] | null;
            label?: components["schemas"]["LabelOptions"] | null;
            insurance?: components["schemas"]["Insurance"] | null;
        };
        /** @description How the shipment is to be carried, labelled and insured. */
        ShipmentOptionsInput: {
            shipping?: components["schemas"]["ShippingOptionsInput"] | null;
            label?: components["schemas"]["LabelOptionsInput"] | null;
            insurance?: components["schemas"]["InsuranceInput"] | null;
        };
        /**
         * @description How the paper is wanted. An empty body takes the usual paper of the country that it leaves from.
         * @example {
         *       "format": "a4"
         *     }
         */
        ShipmentPaperInput: {
            format?: ("a4" | "letter" | "4x6") | null;
        };
        /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
        ShipmentPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description A name or reference of your own, such as the order's number. Need not be unique.
             * @example Order 1042
             */
            name?: string | null;
            addresses?: components["schemas"]["ShipmentAddressesPatch"];
            /** @description Tax registrations of sender, recipient or importer, for customs papers and carriers. */
            tax_identifiers?: components["schemas"]["TaxIdentifierInput"][] | null;
            /** @description The parcels that travel together under one purchase. Each gets a label and a tracking number. */
            packages?: components["schemas"]["PackageInput"][];
            customs?: components["schemas"]["CustomsInput"] | null;
            options?: components["schemas"]["ShipmentOptionsInput"] | null;
            carrier?: components["schemas"]["CarrierChoiceInput"] | null;
            /** @description Made by the server; ignored in requests. */
            documents?: unknown;
            /** @description Made by the server; ignored in requests. */
            rates?: unknown;
            /** @description Made by the server; ignored in requests. */
            service?: unknown;
            /** @description Made by the server; ignored in requests. */
            cost?: unknown;
            /** @description Made by the server; ignored in requests. */
            status?: unknown;
            /** @description Made by the server; ignored in requests. */
            tracking_status?: unknown;
            /** @description Made by the server; ignored in requests. */
            tracking_number?: unknown;
            /** @description Made by the server; ignored in requests. */
            label_pending?: unknown;
            /** @description Made by the server; ignored in requests. */
            errors?: unknown;
            /** @description Made by the server; ignored in requests. */
            order_id?: unknown;
            /** @description Made by the server; ignored in requests. */
            complete_allocations_on?: unknown;
            /** @description Made by the server; ignored in requests. */
            handed_over_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            rule_id?: unknown;
            /** @description Made by the server; ignored in requests. */
            packed_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /**
         * @description The postal part of an address. In the test world its post code may be a word of the sandbox carrier.
         * @example {
         *       "line_1": "1 Quay Street",
         *       "city": "Bristol",
         *       "post_code": "BS1 4DJ",
         *       "country_code": "GB"
         *     }
         */
        ShipmentPostalAddress: {
            /** @description House number and street, or what the country's post uses instead. Printed as the first line below the names. */
            line_1: string;
            /** @description Flat, building or floor. Printed on a line of its own; left out where it is empty. */
            line_2?: string | null;
            /** @description For addresses that need one more line. Some carriers have two: there it joins the second. */
            line_3?: string | null;
            /** @description Town or city, as the post of the country writes it. Printed where the country's addresses have it. */
            city: string;
            /**
             * @description The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it.
             * @example CA
             */
            province?: string | null;
            /**
             * @description Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it.
             * @example SW1A 1AA
             */
            post_code?: string | null;
            /**
             * @description ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border.
             * @example GB
             * @enum {string}
             */
            country_code: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
        };
        /**
         * @description The postal part of an address. In the test world its post code may be a word of the sandbox carrier.
         * @example {
         *       "line_1": "1 Quay Street",
         *       "city": "Bristol",
         *       "post_code": "BS1 4DJ",
         *       "country_code": "GB"
         *     }
         */
        ShipmentPostalAddressInput: {
            /** @description House number and street, or what the country's post uses instead. Printed as the first line below the names. */
            line_1: string;
            /** @description Flat, building or floor. Printed on a line of its own; left out where it is empty. */
            line_2?: string | null;
            /** @description For addresses that need one more line. Some carriers have two: there it joins the second. */
            line_3?: string | null;
            /** @description Town or city, as the post of the country writes it. Printed where the country's addresses have it. */
            city: string;
            /**
             * @description The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it.
             * @example CA
             */
            province?: string | null;
            /**
             * @description Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it.
             * @example SW1A 1AA
             */
            post_code?: string | null;
            /**
             * @description ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border.
             * @example GB
             * @enum {string}
             */
            country_code: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
        };
        /**
         * @description The postal part of an address. In the test world its post code may be a word of the sandbox carrier.
         * @example {
         *       "line_1": "1 Quay Street",
         *       "city": "Bristol",
         *       "post_code": "BS1 4DJ",
         *       "country_code": "GB"
         *     }
         */
        ShipmentPostalAddressPatch: {
            /** @description House number and street, or what the country's post uses instead. Printed as the first line below the names. */
            line_1?: string;
            /** @description Flat, building or floor. Printed on a line of its own; left out where it is empty. */
            line_2?: string | null;
            /** @description For addresses that need one more line. Some carriers have two: there it joins the second. */
            line_3?: string | null;
            /** @description Town or city, as the post of the country writes it. Printed where the country's addresses have it. */
            city?: string;
            /**
             * @description The state or province. In AU, BR, CA, IN, IT and US it is checked against the country's list, by code or by name, and kept as the code; AU, CA and US require it.
             * @example CA
             */
            province?: string | null;
            /**
             * @description Required where the country uses post codes. Checked against the country's pattern where it has one, and written in its usual form: `bs14dj` becomes `BS1 4DJ`. Distances and rates depend on it.
             * @example SW1A 1AA
             */
            post_code?: string | null;
            /**
             * @description ISO 3166-1 alpha-2, in capitals (`GB`, not `UK`). Decides how the address is printed, and whether a shipment crosses a border.
             * @example GB
             * @enum {string}
             */
            country_code?: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
        };
        /** @description The sides of the largest package, or of the largest item of an order that is not packed: the largest of each, if several are the largest in some way. */
        ShippedDimensions: {
            /**
             * Format: double
             * @description The longest side in centimetres.
             * @example 30
             */
            length: number;
            /**
             * Format: double
             * @description The second longest side in centimetres.
             * @example 30
             */
            width: number;
            /**
             * Format: double
             * @description The shortest side in centimetres.
             * @example 30
             */
            height: number;
        };
        /** @description A value in one currency. */
        ShippedValue: {
            /**
             * Format: int64
             * @description A whole number of the currency's smallest unit: `1299` with `GBP` is £12.99, with `JPY` ¥1299. A fraction is refused.
             * @example 1299
             */
            amount: number;
            /**
             * @description ISO 4217, in capitals. It says what the smallest unit of an amount is: pence, cents, yen.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /** @description What the rules decide. Without a `service` and a `choose`, no rule says how to ship it. */
        ShippingDecision: {
            /** @description The one to buy, without a comparison of rates. Null if no rule names one; then `choose` may say how it is found. */
            service?: components["schemas"]["RuleService"] | null;
            /** @description How the service is to be chosen by its rate, if a rule says so. It is chosen when the shipment is rated. */
            choose?: components["schemas"]["RuleChoice"] | null;
            options: components["schemas"]["DecidedOptions"];
            customs: components["schemas"]["DecidedCustoms"];
            /** @description A box or an envelope of yours: only this one is used, although others may hold the units too. */
            package_type_id?: string | null;
            /** @description Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults. */
            printer_id?: string | null;
            hold?: components["schemas"]["RuleHold"] | null;
            /**
             * @description The rule that set each field, by the field's name: `service` (also for `choose`), `signature_type`, `saturday_delivery`, `label_format`, `insurance`, `incoterm`, `contents_type`, `package_type_id`, `printer_id`, `hold`.
             * @example {
             *       "service": "rule_01jc0000000000000000000000"
             *     }
             */
            set_by: {
                [key: string]: string;
            };
        };
        /** @description What is known about the shipment, and was compared with the rules' conditions. */
        ShippingFacts: {
            /** @description The warehouse or shop that holds the allocated units. Null before anything is allocated. */
            origin_location_id?: string | null;
            /** @description Where it goes (ISO 3166-1 alpha-2). */
            destination_country?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
            /** @description Where it goes within the country. */
            post_code?: string | null;
            /**
             * Format: double
             * @description Kilograms in total, without the packaging of units that are not packed yet.
             * @example 1.2
             */
            mass?: number | null;
            dimensions?: components["schemas"]["ShippedDimensions"] | null;
            /** @description What the whole order is worth: by the prices of its lines, else by the values of its items. Of a shipment, what its customs items declare. */
            order_value?: components["schemas"]["ShippedValue"] | null;
            /** @description What the units are worth that are shipped from this origin. Insurance covers this. */
            contents_value?: components["schemas"]["ShippedValue"] | null;
            /** @description Each product once, in alphabetical order. */
            skus: string[];
            /** @description The words that any of the products carries, each once, in alphabetical order. */
            item_tags: string[];
            /** @description Through which sales channel the order came. */
            channel?: string | null;
            /** @description What the customer chose, in the shop's words. */
            requested_service?: string | null;
            /** @description The words that the merchant or the shop put on the customer's purchase, as it was stored. */
            order_tags: string[];
            local_time: components["schemas"]["LocalTime"];
            /**
             * @description Why a fact is not known, by its name. A condition about it does not hold.
             * @example {
             *       "mass": "The item TEE has no mass."
             *     }
             */
            unknown: {
                [key: string]: string;
            };
        };
        /** @description What the carrier is asked to do beyond carrying: dates, signatures, Saturday delivery. */
        ShippingOptions: {
            /** @description The code that opens the recipient's door or gate, for the driver. */
            access_code?: string | null;
            /**
             * @description `true`: the destination is a business, `false`: a home. Some carriers charge more for homes.
             * @example true
             */
            commercial_address?: boolean | null;
            /** @description ISO 4217, in capitals: the currency of customs items that name none, and the one that carriers are asked to quote in. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * Format: date-time
             * @description The day on which you hand the parcel over: printed on the label, told to the carrier, and the day of its manifest. Without it, the day on which it is bought (UTC).
             * @example 2026-11-01T09:30:00.000000Z
             */
            date?: string | null;
            /**
             * @description `true` asks for a confirmation of delivery, such as a scan at the door.
             * @example true
             */
            delivery_confirmation?: boolean | null;
            /**
             * Format: double
             * @description Kilograms of dry ice in the parcel; kept as whole grams, rounded up. Carriers must declare it to airlines.
             * @example 0.5
             */
            dry_ice_mass?: number | null;
            dropoff_type?: ("regular_pickup" | "scheduled_pickup" | "retail_location" | "station" | "drop_box") | null;
            /** @description What those who handle the parcel should know, such as `Keep upright`. */
            handling_instructions?: string | null;
            /**
             * @description `true` asks for the carrier's secured handling of valuable goods.
             * @example true
             */
            high_security?: boolean | null;
            /**
             * @description `true`: the parcel waits at the carrier's counter for the recipient instead of being delivered.
             * @example true
             */
            hold_for_pickup?: boolean | null;
            invalid_address_handling?: ("forward_or_return" | "forward_and_notify" | "return" | "discard_and_notify" | "leave_if_no_response") | null;
            /**
             * @description `true`: the parcel travels back, from the destination to the return address.
             * @example true
             */
            is_return?: boolean | null;
            /**
             * @description `true` allows the driver to leave the parcel in a safe place if no one answers the door.
             * @example true
             */
            leave_safe?: boolean | null;
            /**
             * @description `false`: the parcel is too soft, round or fragile for sorting machines. Carriers charge more for it.
             * @example true
             */
            machinable?: boolean | null;
            non_delivery?: ("return" | "abandon") | null;
            /** @description Restricted goods in the parcel. Carriers may refuse it, or demand a service that takes them. */
            restricted_substances?: ("alcohol" | "batteries_lithium_ion" | "batteries_lithium_metal" | "dry_ice" | "biological" | "flammable" | "limited_quantity" | "tobacco" | "other")[] | null;
            /** @description Where the driver may leave the parcel, such as `Porch`. */
            safe_place?: string | null;
            /**
             * @description `true` asks for delivery on a Saturday. It costs extra, and the rates include that.
             * @example true
             */
            saturday_delivery?: boolean | null;
            /**
             * @description `true`: the driver asks for a signature at the door. It costs extra, and the rates include that.
             * @example true
             */
            signature_required?: boolean | null;
            signature_type?: ("standard" | "adult" | "direct" | "indirect" | "certified" | "carrier_confirmation" | "none") | null;
            /**
             * @description `true`: the parcel must be scanned on its way, so that the recipient can follow it.
             * @example true
             */
            tracked_service?: boolean | null;
        };
        /** @description What the carrier is asked to do beyond carrying: dates, signatures, Saturday delivery. */
        ShippingOptionsInput: {
            /** @description The code that opens the recipient's door or gate, for the driver. */
            access_code?: string | null;
            /**
             * @description `true`: the destination is a business, `false`: a home. Some carriers charge more for homes.
             * @example true
             */
            commercial_address?: boolean | null;
            /** @description ISO 4217, in capitals: the currency of customs items that name none, and the one that carriers are asked to quote in. */
            currency_code?: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG") | null;
            /**
             * Format: date-time
             * @description The day on which you hand the parcel over: printed on the label, told to the carrier, and the day of its manifest. Without it, the day on which it is bought (UTC).
             * @example 2026-11-01T09:30:00.000000Z
             */
            date?: string | null;
            /**
             * @description `true` asks for a confirmation of delivery, such as a scan at the door.
             * @example true
             */
            delivery_confirmation?: boolean | null;
            /**
             * Format: double
             * @description Kilograms of dry ice in the parcel; kept as whole grams, rounded up. Carriers must declare it to airlines.
             * @example 0.5
             */
            dry_ice_mass?: number | null;
            dropoff_type?: ("regular_pickup" | "scheduled_pickup" | "retail_location" | "station" | "drop_box") | null;
            /** @description What those who handle the parcel should know, such as `Keep upright`. */
            handling_instructions?: string | null;
            /**
             * @description `true` asks for the carrier's secured handling of valuable goods.
             * @example true
             */
            high_security?: boolean | null;
            /**
             * @description `true`: the parcel waits at the carrier's counter for the recipient instead of being delivered.
             * @example true
             */
            hold_for_pickup?: boolean | null;
            invalid_address_handling?: ("forward_or_return" | "forward_and_notify" | "return" | "discard_and_notify" | "leave_if_no_response") | null;
            /**
             * @description `true`: the parcel travels back, from the destination to the return address.
             * @example true
             */
            is_return?: boolean | null;
            /**
             * @description `true` allows the driver to leave the parcel in a safe place if no one answers the door.
             * @example true
             */
            leave_safe?: boolean | null;
            /**
             * @description `false`: the parcel is too soft, round or fragile for sorting machines. Carriers charge more for it.
             * @example true
             */
            machinable?: boolean | null;
            non_delivery?: ("return" | "abandon") | null;
            /** @description Restricted goods in the parcel. Carriers may refuse it, or demand a service that takes them. */
            restricted_substances?: ("alcohol" | "batteries_lithium_ion" | "batteries_lithium_metal" | "dry_ice" | "biological" | "flammable" | "limited_quantity" | "tobacco" | "other")[] | null;
            /** @description Where the driver may leave the parcel, such as `Porch`. */
            safe_place?: string | null;
            /**
             * @description `true` asks for delivery on a Saturday. It costs extra, and the rates include that.
             * @example true
             */
            saturday_delivery?: boolean | null;
            /**
             * @description `true`: the driver asks for a signature at the door. It costs extra, and the rates include that.
             * @example true
             */
            signature_required?: boolean | null;
            signature_type?: ("standard" | "adult" | "direct" | "indirect" | "certified" | "carrier_confirmation" | "none") | null;
            /**
             * @description `true`: the parcel must be scanned on its way, so that the recipient can follow it.
             * @example true
             */
            tracked_service?: boolean | null;
        };
        /** @description Says which service a shipment takes, and with which options, where its conditions hold. */
        ShippingRule: {
            /** @description Made when the rule is created. It stays when the rule moves to another position. */
            id: string;
            /**
             * @description How your team tells rules apart. Explanations show it; it need not be unique.
             * @example Heavy parcels to Germany
             */
            name: string;
            /**
             * Format: int64
             * @description The place of the rule, from 1 without gaps: rules with lower positions are asked first. A rule that is given a position moves there, and those from there on move by one. Without it, a new rule comes last.
             * @example 1
             */
            position?: number | null;
            /**
             * @description `false` keeps the rule without asking it. Defaults to `true`.
             * @example true
             */
            is_active?: boolean | null;
            conditions?: components["schemas"]["ShippingRuleConditions"] | null;
            action: components["schemas"]["ShippingRuleAction"];
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /**
         * @description What the rule sets where it matches. Each field is set by the first matching rule that has it; `service` and `choose` count as one field.
         * @example {
         *       "service": {
         *         "carrier_account": "sandbox",
         *         "carrier_service": "standard"
         *       }
         *     }
         */
        ShippingRuleAction: {
            service?: components["schemas"]["RuleService"] | null;
            choose?: components["schemas"]["RuleChoice"] | null;
            options?: components["schemas"]["RuleOptions"] | null;
            /** @description A box or an envelope of yours: only this one is used, although others may hold the units too. */
            package_type_id?: string | null;
            /** @description Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults. */
            printer_id?: string | null;
            hold?: components["schemas"]["RuleHold"] | null;
        };
        /**
         * @description What the rule sets where it matches. Each field is set by the first matching rule that has it; `service` and `choose` count as one field.
         * @example {
         *       "service": {
         *         "carrier_account": "sandbox",
         *         "carrier_service": "standard"
         *       }
         *     }
         */
        ShippingRuleActionInput: {
            service?: components["schemas"]["RuleServiceInput"] | null;
            choose?: components["schemas"]["RuleChoiceInput"] | null;
            options?: components["schemas"]["RuleOptionsInput"] | null;
            /** @description A box or an envelope of yours: only this one is used, although others may hold the units too. */
            package_type_id?: string | null;
            /** @description Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults. */
            printer_id?: string | null;
            hold?: components["schemas"]["RuleHoldInput"] | null;
        };
        /**
         * @description What the rule sets where it matches. Each field is set by the first matching rule that has it; `service` and `choose` count as one field.
         * @example {
         *       "service": {
         *         "carrier_account": "sandbox",
         *         "carrier_service": "standard"
         *       }
         *     }
         */
        ShippingRuleActionPatch: {
            service?: components["schemas"]["RuleServiceInput"] | null;
            choose?: components["schemas"]["RuleChoiceInput"] | null;
            options?: components["schemas"]["RuleOptionsInput"] | null;
            /** @description A box or an envelope of yours: only this one is used, although others may hold the units too. */
            package_type_id?: string | null;
            /** @description Where the shipment's labels are printed if a print job names no printer: it comes before the default printers. Packing slips and customs papers keep their defaults. */
            printer_id?: string | null;
            hold?: components["schemas"]["RuleHoldInput"] | null;
        };
        /** @description What must hold so that the rule matches: all of the given conditions. Without any, the rule matches everything. A condition about something that is not known, such as the mass of an item without one, does not hold. */
        ShippingRuleConditions: {
            /**
             * @description The destination is in one of these countries (ISO 3166-1 alpha-2).
             * @example [
             *       "DE",
             *       "AT"
             *     ]
             */
            destination_countries?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[] | null;
            /** @description The destination's post code begins with one of these. Codes of different countries look alike, so name the countries too. */
            post_code_prefixes?: string[] | null;
            mass?: components["schemas"]["MassRange"] | null;
            dimensions?: components["schemas"]["DimensionRanges"] | null;
            order_value?: components["schemas"]["ValueRange"] | null;
            /** @description Holds if any product in the parcel carries any of these words, such as `fragile`. */
            item_tags?: string[] | null;
            /** @description At least one item that is shipped has one of these SKUs. */
            skus?: string[] | null;
            /**
             * @description The order came through one of these sales channels.
             * @example [
             *       "web"
             *     ]
             */
            channels?: string[] | null;
            /** @description The order's `requested_service`, in your shop's own words, is one of these. */
            requested_services?: string[] | null;
            /**
             * @description Holds if the merchant put any of these words on the customer's purchase.
             * @example [
             *       "gift"
             *     ]
             */
            order_tags?: string[] | null;
            /** @description It is shipped from one of these locations. While a rule names a location, the location can't be deleted. */
            origin_location_ids?: string[] | null;
            /**
             * @description It is one of these days of the week at the origin, in the time zone of the location, else of the organisation.
             * @example [
             *       "mon",
             *       "tue",
             *       "wed",
             *       "thu",
             *       "fri"
             *     ]
             */
            weekdays?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | null;
            time_window?: components["schemas"]["TimeWindow"] | null;
        };
        /** @description What must hold so that the rule matches: all of the given conditions. Without any, the rule matches everything. A condition about something that is not known, such as the mass of an item without one, does not hold. */
        ShippingRuleConditionsInput: {
            /**
             * @description The destination is in one of these countries (ISO 3166-1 alpha-2).
             * @example [
             *       "DE",
             *       "AT"
             *     ]
             */
            destination_countries?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[] | null;
            /** @description The destination's post code begins with one of these. Codes of different countries look alike, so name the countries too. */
            post_code_prefixes?: string[] | null;
            mass?: components["schemas"]["MassRangeInput"] | null;
            dimensions?: components["schemas"]["DimensionRangesInput"] | null;
            order_value?: components["schemas"]["ValueRangeInput"] | null;
            /** @description Holds if any product in the parcel carries any of these words, such as `fragile`. */
            item_tags?: string[] | null;
            /** @description At least one item that is shipped has one of these SKUs. */
            skus?: string[] | null;
            /**
             * @description The order came through one of these sales channels.
             * @example [
             *       "web"
             *     ]
             */
            channels?: string[] | null;
            /** @description The order's `requested_service`, in your shop's own words, is one of these. */
            requested_services?: string[] | null;
            /**
             * @description Holds if the merchant put any of these words on the customer's purchase.
             * @example [
             *       "gift"
             *     ]
             */
            order_tags?: string[] | null;
            /** @description It is shipped from one of these locations. While a rule names a location, the location can't be deleted. */
            origin_location_ids?: string[] | null;
            /**
             * @description It is one of these days of the week at the origin, in the time zone of the location, else of the organisation.
             * @example [
             *       "mon",
             *       "tue",
             *       "wed",
             *       "thu",
             *       "fri"
             *     ]
             */
            weekdays?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | null;
            time_window?: components["schemas"]["TimeWindowInput"] | null;
        };
        /** @description What the rules decide for one shipment, and why. */
        ShippingRuleEvaluation: {
            facts: components["schemas"]["ShippingFacts"];
            decision: components["schemas"]["ShippingDecision"];
            /** @description One entry for each, also for those that are not active or did not match, beginning with position 1. */
            rules: components["schemas"]["ShippingRuleExplanation"][];
        };
        /**
         * @description Exactly one of `order_id`, `shipment_id` and `shipment`.
         * @example {
         *       "order_id": "ord_01jc0000000000000000000000"
         *     }
         */
        ShippingRuleEvaluationInput: {
            /** @description Evaluates the rules for an order: once for each location with open allocations, or once without an origin. Needs the scope `orders:read` too. */
            order_id?: string | null;
            /** @description Evaluates the rules for a shipment that exists. Needs the scope `shipments:read` too. */
            shipment_id?: string | null;
            /** @description Evaluates the rules for a shipment as you would create it. Nothing is stored. */
            shipment?: components["schemas"]["ShipmentInput"] | null;
            /**
             * Format: date-time
             * @description The moment for which weekdays and time windows are judged, to try them out. Without it, now.
             * @example 2026-11-01T09:30:00.000000Z
             */
            at?: string | null;
        };
        /** @description What the rules decide. */
        ShippingRuleEvaluations: {
            /** @description One entry for each location from which the order is shipped; for a shipment, one. */
            data: components["schemas"]["ShippingRuleEvaluation"][];
        };
        /** @description What became of one rule. */
        ShippingRuleExplanation: {
            /** @description Made when the rule is created. It stays when the rule moves to another position. */
            rule_id: string;
            /**
             * @description How your team tells rules apart. Explanations show it; it need not be unique.
             * @example Heavy parcels to Germany
             */
            name: string;
            /**
             * Format: int64
             * @description Its place in the list when this was computed: 1 was asked first. A later reordering does not change it here.
             * @example 1
             */
            position: number;
            /**
             * @description Whether the rule is active and all of its conditions hold.
             * @example true
             */
            is_match: boolean;
            /** @description What this one decided, by the keys of `set_by`. Empty if it did not match, or if earlier ones had decided all of it. */
            sets: string[];
            /** @description Of a rule that does not match, each condition that does not hold. Of one that matches, each field that it did not set. */
            reasons: components["schemas"]["ShippingRuleReason"][];
        };
        /** @description Says which service a shipment takes, and with which options, where its conditions hold. */
        ShippingRuleInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description How your team tells rules apart. Explanations show it; it need not be unique.
             * @example Heavy parcels to Germany
             */
            name: string;
            /**
             * Format: int64
             * @description The place of the rule, from 1 without gaps: rules with lower positions are asked first. A rule that is given a position moves there, and those from there on move by one. Without it, a new rule comes last.
             * @example 1
             */
            position?: number | null;
            /**
             * @description `false` keeps the rule without asking it. Defaults to `true`.
             * @example true
             */
            is_active?: boolean | null;
            conditions?: components["schemas"]["ShippingRuleConditionsInput"] | null;
            action: components["schemas"]["ShippingRuleActionInput"];
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description The order in which the rules are asked. */
        ShippingRuleOrder: {
            /** @description All rules of the organisation, each exactly once, in the order in which they are to be asked. */
            ids: string[];
        };
        /** @description The order in which the rules are asked. */
        ShippingRuleOrderInput: {
            /** @description All rules of the organisation, each exactly once, in the order in which they are to be asked. */
            ids: string[];
        };
        /** @description Says which service a shipment takes, and with which options, where its conditions hold. */
        ShippingRulePatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description How your team tells rules apart. Explanations show it; it need not be unique.
             * @example Heavy parcels to Germany
             */
            name?: string;
            /**
             * Format: int64
             * @description The place of the rule, from 1 without gaps: rules with lower positions are asked first. A rule that is given a position moves there, and those from there on move by one. Without it, a new rule comes last.
             * @example 1
             */
            position?: number | null;
            /**
             * @description `false` keeps the rule without asking it. Defaults to `true`.
             * @example true
             */
            is_active?: boolean | null;
            conditions?: components["schemas"]["ShippingRuleConditionsInput"] | null;
            action?: components["schemas"]["ShippingRuleActionPatch"];
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description Why a part of a rule had no effect. */
        ShippingRuleReason: {
            /**
             * @description A JSON pointer into the rule, such as `/conditions/mass`.
             * @example /conditions/mass
             */
            field: string;
            /** @description Why this condition does not hold, or why this part of the action was not taken. */
            message: string;
        };
        /** @description What a short pick changed: of the shipment before its purchase, of the order after it. */
        Short: {
            /** @description Made when the shipment is created. Carriers get it as their reference, so it can be searched for in their own pages. */
            shipment_id: string;
            /** @description Made when the order is created. Its reservation and its allocations are found under it. */
            order_id: string;
            /** @description The item of which units are missing, by its `inv_…`. */
            item_id: string;
            /**
             * Format: int64
             * @description Units that were reported as missing.
             * @example 2
             */
            quantity: number;
            /**
             * @description Why the units are missing, such as `not found` or `damaged`. The order's exception and the stock's history have it.
             * @example damaged
             */
            reason: string;
            /**
             * Format: int64
             * @description Units that the level of the item lost. 0 without `adjust_stock`, after the purchase, and where the location does not count the item.
             * @example 2
             */
            written_off_quantity: number;
            /** @description The open allocations that the missing units are in now, outside of any shipment. Empty after the purchase. */
            allocation_ids: string[];
            /**
             * @description Whether the shipment is gone, because nothing was left in it. Then its id answers 404.
             * @example false
             */
            is_shipment_deleted: boolean;
            /** @description The exception `short` of the order, which a person resolves. Null before the purchase. */
            exception_id?: string | null;
        };
        /** @description Units of a shipment that a picker did not find. */
        ShortInput: {
            /** @description What the picker could not find: the `inv_…` that a package of the shipment names. */
            item_id: string;
            /**
             * Format: int64
             * @description Units that are missing. Not more than the shipment still misses: what was scanned was found.
             * @example 2
             */
            quantity: number;
            /**
             * @description Why the units are missing, such as `not found` or `damaged`. The order's exception and the stock's history have it.
             * @example damaged
             */
            reason: string;
            /**
             * @description `true` also writes the missing units off the level, in the same transaction, with your `reason`; the token then needs `inventory:write`. Not more than is on hand. After the purchase nothing is written off: the level no longer counts units that were bought to be sent. False if you leave it out.
             * @example true
             */
            adjust_stock?: boolean | null;
        };
        /**
         * @description Centimetres of one side. Both ends belong to the range.
         * @example {
         *       "max": 60
         *     }
         */
        SideRange: {
            /**
             * Format: double
             * @description The shortest that the side may be, in centimetres. Without it, there is no lower end.
             * @example 60
             */
            min?: number | null;
            /**
             * Format: double
             * @description The longest that the side may be, in centimetres. Without it, there is no upper end.
             * @example 60
             */
            max?: number | null;
        };
        /**
         * @description Centimetres of one side. Both ends belong to the range.
         * @example {
         *       "max": 60
         *     }
         */
        SideRangeInput: {
            /**
             * Format: double
             * @description The shortest that the side may be, in centimetres. Without it, there is no lower end.
             * @example 60
             */
            min?: number | null;
            /**
             * Format: double
             * @description The longest that the side may be, in centimetres. Without it, there is no upper end.
             * @example 60
             */
            max?: number | null;
        };
        /** @description A one-time link that signs a user in. */
        SignInLink: {
            /**
             * @description Opens the console once, within 15 minutes; an invitation that is also sent by e-mail, within 24 hours. Pass it on to the person. It is in this answer and never shown again: null if this answer repeats an earlier one.
             * @example https://dockside.example.com/console/sign-in#dkl_…
             */
            sign_in_link?: string | null;
            /**
             * Format: date-time
             * @description Until when it can be opened: 15 minutes after it was made. If the server sends e-mail and the user has no password yet, 24 hours.
             * @example 2026-11-01T09:30:00.000000Z
             */
            expires_at: string;
        };
        /** @description The ways to sign in. */
        SignInMethods: {
            /**
             * @description Whether people sign in with an address and a password. Always true.
             * @example true
             */
            password: boolean;
            /**
             * @description Whether a person who has forgotten the password gets a link by e-mail: `POST /password_resets`. The operator sets a mail server for that.
             * @example true
             */
            password_reset: boolean;
            /**
             * @description Whether people sign in with passkeys: browsers offer them at an `https` address with a host name, and on `localhost`.
             * @example true
             */
            passkey: boolean;
            openid_connect?: components["schemas"]["SignInProvider"] | null;
        };
        /** @description The server at which people of this installation sign in, by the settings `oidc_…`. Null if the operator has set none. */
        SignInProvider: {
            /**
             * @description What the button says: the setting `oidc_label`.
             * @example Sign in with Acme
             */
            label: string;
            /**
             * @description Where a browser goes to sign in, with the page of the console that the person wants in the parameter `next`.
             * @example /oidc/start
             */
            start_url: string;
        };
        /** @description A token for the stream. */
        StreamToken: {
            /**
             * @description A JWT for the stream's client, which passes it on as it is. The connection token lives 30 minutes, the subscription token 15, unless the operator set other times.
             * @example eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1c3JfMDFqYyJ9.c2lnbmF0dXJl
             */
            token: string;
        };
        /** @description The channel to join, where the query does not name it. */
        SubscriptionInput: {
            /**
             * @description A channel: `<resource>:<organisation_id>#<user_id>`, with your own organisation and user.
             * @example orders:org_01jc4m8v2h9k3n5p7q9r1s3t5v#usr_01jc4m8v2h9k3n5p7q9r1s3t5w
             */
            channel?: string | null;
        };
        /** @description What needs attention now, and how much was bought on each of the last days. */
        Summary: {
            counts: components["schemas"]["SummaryCounts"];
            /** @description The last 14 days, oldest first, today as the last. Null unless your token may read shipments. */
            bought_per_day?: components["schemas"]["DayCount"][] | null;
            /**
             * @description In which zone the days begin: the organisation's, as `GET /organisation` shows it.
             * @example Europe/London
             */
            time_zone: string;
            /**
             * Format: date-time
             * @description When the counts were taken, all in one snapshot of the database.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
        };
        /** @description What waits for a person, by cause. A count stops at 10,000. */
        SummaryCounts: {
            /**
             * Format: int64
             * @description Committed orders whose `ship_by` has passed and that are not shipped in full. Null unless your token may read orders.
             * @example 3
             */
            late_orders?: number | null;
            /**
             * Format: int64
             * @description Orders on hold: `GET /orders?on_hold=true` lists them. Null unless your token may read orders.
             * @example 1
             */
            held_orders?: number | null;
            /**
             * Format: int64
             * @description Orders with an exception that is not resolved: `GET /orders?has_exception=true` lists them. Null unless your token may read orders.
             * @example 2
             */
            orders_with_exceptions?: number | null;
            /**
             * Format: int64
             * @description Purchase attempts whose outcome a person must find out. Null unless your token may read shipments.
             * @example 0
             */
            purchases_to_review?: number | null;
            /**
             * Format: int64
             * @description Webhook endpoints whose last delivery failed. Null unless your token may read webhooks.
             * @example 0
             */
            failing_webhook_endpoints?: number | null;
            /**
             * Format: int64
             * @description Inventory items with a level at or below its `reorder_point`: `GET /inventory_items?low_stock=true` lists them. Null unless your token may read inventory.
             * @example 5
             */
            low_items?: number | null;
        };
        /** @description A registration number for tax. */
        TaxIdentifier: {
            /**
             * @description The party that is registered under the number.
             * @example sender
             * @enum {string}
             */
            taxable_entity_type: "sender" | "recipient" | "importer_of_record";
            /**
             * @description The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked.
             * @example ioss
             * @enum {string}
             */
            identifier_type: "ioss" | "vat" | "eori" | "ein" | "ssn" | "tin" | "gst" | "pan" | "voec" | "pccc" | "oss" | "passport" | "abn" | "ird" | "arn" | "ukims" | "cnp" | "national_id" | "other";
            /**
             * @description The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits.
             * @example IM0123456789
             */
            value: string;
            /** @description The country whose authority issued the number (ISO 3166-1 alpha-2). */
            issuing_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
        };
        /** @description A registration number for tax. */
        TaxIdentifierInput: {
            /**
             * @description The party that is registered under the number.
             * @example sender
             * @enum {string}
             */
            taxable_entity_type: "sender" | "recipient" | "importer_of_record";
            /**
             * @description The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked.
             * @example ioss
             * @enum {string}
             */
            identifier_type: "ioss" | "vat" | "eori" | "ein" | "ssn" | "tin" | "gst" | "pan" | "voec" | "pccc" | "oss" | "passport" | "abn" | "ird" | "arn" | "ukims" | "cnp" | "national_id" | "other";
            /**
             * @description The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits.
             * @example IM0123456789
             */
            value: string;
            /** @description The country whose authority issued the number (ISO 3166-1 alpha-2). */
            issuing_country_code?: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "XK" | "YE" | "YT" | "ZA" | "ZM" | "ZW") | null;
        };
        /**
         * @description A part of the day by the clock of the origin location's time zone. If it ends before it begins, it goes over midnight, and its weekday is the one on which it begins.
         * @example {
         *       "from": "08:00",
         *       "until": "14:00"
         *     }
         */
        TimeWindow: {
            /**
             * @description The first minute that belongs to the window, `HH:MM`.
             * @example 14:00
             */
            from: string;
            /**
             * @description The first minute that does not belong to the window any more, `HH:MM`.
             * @example 14:00
             */
            until: string;
        };
        /**
         * @description A part of the day by the clock of the origin location's time zone. If it ends before it begins, it goes over midnight, and its weekday is the one on which it begins.
         * @example {
         *       "from": "08:00",
         *       "until": "14:00"
         *     }
         */
        TimeWindowInput: {
            /**
             * @description The first minute that belongs to the window, `HH:MM`.
             * @example 14:00
             */
            from: string;
            /**
             * @description The first minute that does not belong to the window any more, `HH:MM`.
             * @example 14:00
             */
            until: string;
        };
        /** @description Who asks, and for which scopes. */
        TokenRequestInput: {
            /**
             * @description How the client proves itself; this server knows client credentials only.
             * @enum {string}
             */
            grant_type: "client_credentials";
            /** @description The id of the access token that stands for the client (`tok_…`). May be sent as HTTP Basic instead. */
            client_id?: string | null;
            /** @description The secret of that access token (`dk_live_…`). May be sent as HTTP Basic instead. */
            client_secret?: string | null;
            /** @description Scopes separated by spaces, such as `orders:read orders:write`: no more than the client has. Without it, all that the client has. */
            scope?: string | null;
        };
        /** @description A token that lives an hour. */
        TokenResponse: {
            /** @description The new token, which ends by itself. Ask for another one in time. */
            access_token: string;
            /**
             * @description Send the token as `Authorization: Bearer …`.
             * @enum {string}
             */
            token_type: "Bearer";
            /**
             * Format: int64
             * @description Seconds until the token ends: an hour, or less if the client ends sooner.
             */
            expires_in: number;
            /** @description Scopes separated by spaces, such as `orders:read orders:write`: no more than the client has. Without it, all that the client has. */
            scope: string;
        };
        /** @description Where a shipment is, and where it was. */
        Tracking: {
            /** @description The shipment that travels under this tracking number; `GET /shipments/{id}` has the rest of it. */
            shipment_id: string;
            /**
             * @description The carrier's number of the first package. Null until the shipment is bought.
             * @example SB123456785GB
             */
            tracking_number?: string | null;
            /**
             * @description What the carrier last reported: `pre_transit` once it is bought, then on to `delivered`, `return_to_sender`, `failure` or `cancelled`, which are final. `unknown` before it is bought.
             * @example in_transit
             * @enum {string}
             */
            tracking_status: "unknown" | "pre_transit" | "in_transit" | "out_for_delivery" | "available_for_pickup" | "delivered" | "return_to_sender" | "failure" | "cancelled";
            /** @description Every step that the carrier reported, the newest last. */
            events: components["schemas"]["TrackingEvent"][];
        };
        /** @description Something that happened on the way. */
        TrackingEvent: {
            /**
             * @description What this step made of the parcel's status.
             * @example in_transit
             * @enum {string}
             */
            status: "unknown" | "pre_transit" | "in_transit" | "out_for_delivery" | "available_for_pickup" | "delivered" | "return_to_sender" | "failure" | "cancelled";
            /**
             * @description The carrier's own words, often with the place.
             * @example The parcel was collected.
             */
            message: string;
            /**
             * Format: date-time
             * @description When it happened, by the carrier's own clock if the carrier says so, else when it was told. It may be told of hours later.
             * @example 2026-11-01T09:30:00.000000Z
             */
            occurred_at: string;
        };
        /** @description A package type that is usable at the location and is not used. */
        UnusedPackageType: {
            /** @description A package type that is active and available at the location. */
            package_type_id: string;
            /**
             * @description Why the package type is not used; `message` says it in a sentence.
             * @example larger
             * @enum {string}
             */
            reason: "too_small" | "too_heavy" | "not_upright" | "more_packages" | "dearer" | "larger" | "later";
            /** @description An inventory item that it can't hold. Null if that is not the reason. */
            item_id?: string | null;
            /**
             * @description The reason as a sentence for a person.
             * @example No package type is smaller.
             */
            message: string;
        };
        /** @description A person who signs in, or a program that has access tokens. */
        User: {
            /** @description Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it. */
            id: string;
            /**
             * @description What colleagues call the person or the program. It need not be unique.
             * @example Ada Lindqvist
             */
            name: string;
            /**
             * @description Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same.
             * @example ada@acme.example
             */
            email_address: string;
            /** @description What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself. */
            roles: string[];
            /** @description What the roles add up to, and so what a session of the user may do. */
            scopes: string[];
            /**
             * @description Whether the person can sign in without a link, because they have set a secret of their own.
             * @example true
             */
            has_password: boolean;
            /**
             * @description Whether all access is taken away for now: no sign-in, no session, no access token of theirs works.
             * @example false
             */
            is_disabled: boolean;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description A new user, with the link for the first sign-in. */
        UserCreated: {
            /** @description Made when the user is invited, or when a token is first created for them on the server. All tokens and sessions of one user share it. */
            id: string;
            /**
             * @description What colleagues call the person or the program. It need not be unique.
             * @example Ada Lindqvist
             */
            name: string;
            /**
             * @description Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same.
             * @example ada@acme.example
             */
            email_address: string;
            /** @description What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself. */
            roles: string[];
            /** @description What the roles add up to, and so what a session of the user may do. */
            scopes: string[];
            /**
             * @description Whether the person can sign in without a link, because they have set a secret of their own.
             * @example true
             */
            has_password: boolean;
            /**
             * @description Whether all access is taken away for now: no sign-in, no session, no access token of theirs works.
             * @example false
             */
            is_disabled: boolean;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
            /**
             * @description Opens the console once, within 15 minutes; an invitation that is also sent by e-mail, within 24 hours. Pass it on to the person. It is in this answer and never shown again: null if this answer repeats an earlier one.
             * @example https://dockside.example.com/console/sign-in#dkl_…
             */
            sign_in_link?: string | null;
        };
        /** @description A person who signs in, or a program that has access tokens. */
        UserInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What colleagues call the person or the program. It need not be unique.
             * @example Ada Lindqvist
             */
            name: string;
            /**
             * @description Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same.
             * @example ada@acme.example
             */
            email_address: string;
            /** @description What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself. */
            roles: string[];
            /** @description Made by the server; ignored in requests. */
            scopes?: unknown;
            /** @description Made by the server; ignored in requests. */
            has_password?: unknown;
            /** @description Made by the server; ignored in requests. */
            is_disabled?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description A person who signs in, or a program that has access tokens. */
        UserPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description What colleagues call the person or the program. It need not be unique.
             * @example Ada Lindqvist
             */
            name?: string;
            /**
             * @description Where the person is reached, and what they sign in with, in small letters. No two users of an organisation have the same.
             * @example ada@acme.example
             */
            email_address?: string;
            /** @description What the user may do in a session: the scopes of all these together. You can give only scopes that you have yourself. */
            roles?: string[];
            /** @description Made by the server; ignored in requests. */
            scopes?: unknown;
            /** @description Made by the server; ignored in requests. */
            has_password?: unknown;
            /** @description Made by the server; ignored in requests. */
            is_disabled?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description The user the token belongs to. Defaults to the caller. */
        UserReference: {
            /** @description Names a user of the organisation. All tokens and sessions of one user share it. */
            id: string;
        };
        /** @description The user the token belongs to. Defaults to the caller. */
        UserReferenceInput: {
            /** @description Names a user of the organisation. All tokens and sessions of one user share it. */
            id: string;
        };
        /**
         * @description What the whole order is worth. Both ends belong to the range. A value in another currency is in no range.
         * @example {
         *       "min": 10000,
         *       "currency_code": "GBP"
         *     }
         */
        ValueRange: {
            /**
             * Format: int64
             * @description The least value, in the smallest unit of the currency. Without it, there is no lower end.
             * @example 1299
             */
            min?: number | null;
            /**
             * Format: int64
             * @description The largest value, in the smallest unit of the currency. Without it, there is no upper end.
             * @example 1299
             */
            max?: number | null;
            /**
             * @description The currency of both ends (ISO 4217). Nothing is converted.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /**
         * @description What the whole order is worth. Both ends belong to the range. A value in another currency is in no range.
         * @example {
         *       "min": 10000,
         *       "currency_code": "GBP"
         *     }
         */
        ValueRangeInput: {
            /**
             * Format: int64
             * @description The least value, in the smallest unit of the currency. Without it, there is no lower end.
             * @example 1299
             */
            min?: number | null;
            /**
             * Format: int64
             * @description The largest value, in the smallest unit of the currency. Without it, there is no upper end.
             * @example 1299
             */
            max?: number | null;
            /**
             * @description The currency of both ends (ISO 4217). Nothing is converted.
             * @example GBP
             * @enum {string}
             */
            currency_code: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
        };
        /** @description A job that turns many orders into shipments and batches. */
        Wave: {
            /** @description Made when the wave is started. Its orders and papers are found under it. */
            id: string;
            /**
             * @description Your own word for it, shown in lists; need not be unique.
             * @example Morning
             */
            name?: string | null;
            /** @description The orders to process, in any order. Only in requests: read them from `GET /waves/{wave_id}/orders`. */
            order_ids?: string[] | null;
            filter?: components["schemas"]["WaveFilter"] | null;
            /** @description What to do for each order, in this order. `rate` and `batch` need `ship`, `purchase` needs `batch`. Without it: `plan`, `ship`, `batch`. */
            steps?: ("plan" | "ship" | "rate" | "batch" | "purchase")[] | null;
            /** @description Where to plan and ship from. What is allocated elsewhere is left to other waves. Empty: everywhere. */
            location_ids?: string[] | null;
            batch?: components["schemas"]["WaveBatchOptions"] | null;
            /** @description What the shipments of one batch have in common. Without it, `location` and `carrier_account`: what one person packs and one van takes. Empty: all shipments come into one batch. */
            group_by?: ("location" | "carrier_account" | "service")[] | null;
            /**
             * @description Whether an order is processed of which a part is not in stock: that part waits. Without it, such an order is an exception, and nothing of it is allocated or shipped.
             * @example false
             */
            allow_partial?: boolean | null;
            /**
             * @description `queued` until work on it begins, `running` meanwhile, then `completed`. `cancelling` after a request to cancel it, until it is `cancelled`. A retry makes a completed wave `running` again.
             * @example running
             * @enum {string}
             */
            status: "queued" | "running" | "cancelling" | "cancelled" | "completed";
            /**
             * Format: int64
             * @description How many were taken at the start, whatever has come of them since.
             * @example 0
             */
            orders_count: number;
            /**
             * Format: int64
             * @description Orders that wait for their turn.
             * @example 0
             */
            pending_count: number;
            /**
             * Format: int64
             * @description Orders for which all steps were done.
             * @example 0
             */
            done_count: number;
            /**
             * Format: int64
             * @description Orders that were not processed to the end; `exceptions` says why.
             * @example 0
             */
            exceptions_count: number;
            /**
             * Format: int64
             * @description How many still waited for their turn when a request ended the wave.
             * @example 0
             */
            cancelled_count: number;
            /**
             * Format: int64
             * @description How many were made, and put into batches if that is a step, for the orders that are done.
             * @example 0
             */
            shipments_count: number;
            /** @description Why orders were not processed, the most frequent reason first. `GET /waves/{wave_id}/orders?result=exception` names the orders. */
            exceptions: components["schemas"]["WaveExceptionCount"][];
            /** @description The first 100 batches that the wave has made. */
            batch_ids: string[];
            /** @description Batches whose purchase was refused as a whole. What came of those that were bought is in the batches. */
            errors: components["schemas"]["WaveBatchRefusal"][];
            /**
             * Format: date-time
             * @description When work on it began. Null while it is queued.
             * @example 2026-11-01T09:30:00.000000Z
             */
            started_at?: string | null;
            /**
             * Format: date-time
             * @description When it was completed or cancelled. Null until then, and after a retry.
             * @example 2026-11-01T09:30:00.000000Z
             */
            ended_at?: string | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /**
         * @description What the wave calls the batches that it opens, and in which format their labels are drawn.
         * @example {
         *       "name": "Morning",
         *       "label_format": "zpl"
         *     }
         */
        WaveBatchOptions: {
            /**
             * @description Begins the names of the batches, before what their shipments have in common. Without it, the name of the wave.
             * @example Morning
             */
            name?: string | null;
            /** @description What the merged file of each batch holds: `zpl` for label printers, `pdf`, or `png` if you leave it out. */
            label_format?: ("png" | "zpl" | "pdf") | null;
        };
        /**
         * @description What the wave calls the batches that it opens, and in which format their labels are drawn.
         * @example {
         *       "name": "Morning",
         *       "label_format": "zpl"
         *     }
         */
        WaveBatchOptionsInput: {
            /**
             * @description Begins the names of the batches, before what their shipments have in common. Without it, the name of the wave.
             * @example Morning
             */
            name?: string | null;
            /** @description What the merged file of each batch holds: `zpl` for label printers, `pdf`, or `png` if you leave it out. */
            label_format?: ("png" | "zpl" | "pdf") | null;
        };
        /** @description A batch of the wave that could not be bought. */
        WaveBatchRefusal: {
            /** @description The one whose purchase did not begin. It is open still. */
            batch_id: string;
            /**
             * @description The code of the problem that `POST /batches/{batch_id}/purchase` would answer with.
             * @example no_stock
             */
            code: string;
            /**
             * @description Why, in a sentence for a person.
             * @example TEE-BLUE-M: 2 wanted, 1 can be allocated.
             */
            message: string;
        };
        /** @description A reason, and how many orders were not processed for it. */
        WaveExceptionCount: {
            /**
             * @description Why, for programs. `no_stock`: not all of it is in stock where it may be sent from. `no_rule`: no shipping rule sets a service. `rate_step_missing`: a rule chooses by rates, and the wave has no step `rate`. `no_rate`: no carrier offers a rate that the rule allows. `address_invalid`, `on_hold`, `order_not_found`, `in_other_wave`, `shipment_changed`: what they say. All others are codes of problems, such as `customs_data_missing`.
             * @example no_stock
             */
            code: string;
            /**
             * Format: int64
             * @description How many were not processed to their end for this reason.
             * @example 0
             */
            orders_count: number;
        };
        /**
         * @description Takes the orders that pass all of these and are committed, not held, and not shipped entirely, as they are when the wave is started. `{}` takes all of those.
         * @example {
         *       "channel": "webshop"
         *     }
         */
        WaveFilter: {
            fulfilment_status?: ("unallocated" | "partially_allocated" | "allocated" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered") | null;
            /**
             * @description The whole name or company of the customer, whatever its case.
             * @example Ann Miller
             */
            customer?: string | null;
            /**
             * @description The address of the customer, whatever its case.
             * @example ann@example.com
             */
            email_address?: string | null;
            /**
             * @description Where it was sold, exactly as the order says it.
             * @example webshop
             */
            channel?: string | null;
            /** @description Words all of which the order has. */
            tags?: string[] | null;
            /**
             * Format: date-time
             * @description Takes what was placed later than this. Orders without `placed_at` are left out.
             * @example 2026-11-01T09:30:00.000000Z
             */
            placed_after?: string | null;
            /**
             * Format: date-time
             * @description Takes what was placed earlier than this. Orders without `placed_at` are left out.
             * @example 2026-11-01T09:30:00.000000Z
             */
            placed_before?: string | null;
            /**
             * Format: date-time
             * @description Takes what must have left earlier than this. Orders without `ship_by` are left out.
             * @example 2026-11-01T09:30:00.000000Z
             */
            ship_by_before?: string | null;
            /** @description Takes orders with an allocation at this place. */
            location_id?: string | null;
            /**
             * @description The SKU of an inventory item of the order.
             * @example TEE-BLUE-M
             */
            sku?: string | null;
            /**
             * @description Whether something is open that went wrong with the order.
             * @example false
             */
            has_exception?: boolean | null;
        };
        /**
         * @description Takes the orders that pass all of these and are committed, not held, and not shipped entirely, as they are when the wave is started. `{}` takes all of those.
         * @example {
         *       "channel": "webshop"
         *     }
         */
        WaveFilterInput: {
            fulfilment_status?: ("unallocated" | "partially_allocated" | "allocated" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered") | null;
            /**
             * @description The whole name or company of the customer, whatever its case.
             * @example Ann Miller
             */
            customer?: string | null;
            /**
             * @description The address of the customer, whatever its case.
             * @example ann@example.com
             */
            email_address?: string | null;
            /**
             * @description Where it was sold, exactly as the order says it.
             * @example webshop
             */
            channel?: string | null;
            /** @description Words all of which the order has. */
            tags?: string[] | null;
            /**
             * Format: date-time
             * @description Takes what was placed later than this. Orders without `placed_at` are left out.
             * @example 2026-11-01T09:30:00.000000Z
             */
            placed_after?: string | null;
            /**
             * Format: date-time
             * @description Takes what was placed earlier than this. Orders without `placed_at` are left out.
             * @example 2026-11-01T09:30:00.000000Z
             */
            placed_before?: string | null;
            /**
             * Format: date-time
             * @description Takes what must have left earlier than this. Orders without `ship_by` are left out.
             * @example 2026-11-01T09:30:00.000000Z
             */
            ship_by_before?: string | null;
            /** @description Takes orders with an allocation at this place. */
            location_id?: string | null;
            /**
             * @description The SKU of an inventory item of the order.
             * @example TEE-BLUE-M
             */
            sku?: string | null;
            /**
             * @description Whether something is open that went wrong with the order.
             * @example false
             */
            has_exception?: boolean | null;
        };
        /** @description A job that turns many orders into shipments and batches. */
        WaveInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Your own word for it, shown in lists; need not be unique.
             * @example Morning
             */
            name?: string | null;
            /** @description The orders to process, in any order. Only in requests: read them from `GET /waves/{wave_id}/orders`. */
            order_ids?: string[] | null;
            filter?: components["schemas"]["WaveFilterInput"] | null;
            /** @description What to do for each order, in this order. `rate` and `batch` need `ship`, `purchase` needs `batch`. Without it: `plan`, `ship`, `batch`. */
            steps?: ("plan" | "ship" | "rate" | "batch" | "purchase")[] | null;
            /** @description Where to plan and ship from. What is allocated elsewhere is left to other waves. Empty: everywhere. */
            location_ids?: string[] | null;
            batch?: components["schemas"]["WaveBatchOptionsInput"] | null;
            /** @description What the shipments of one batch have in common. Without it, `location` and `carrier_account`: what one person packs and one van takes. Empty: all shipments come into one batch. */
            group_by?: ("location" | "carrier_account" | "service")[] | null;
            /**
             * @description Whether an order is processed of which a part is not in stock: that part waits. Without it, such an order is an exception, and nothing of it is allocated or shipped.
             * @example false
             */
            allow_partial?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            status?: unknown;
            /** @description Made by the server; ignored in requests. */
            orders_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            pending_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            done_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            exceptions_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            cancelled_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            shipments_count?: unknown;
            /** @description Made by the server; ignored in requests. */
            exceptions?: unknown;
            /** @description Made by the server; ignored in requests. */
            batch_ids?: unknown;
            /** @description Made by the server; ignored in requests. */
            errors?: unknown;
            /** @description Made by the server; ignored in requests. */
            started_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            ended_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description An order that a wave took, and what came of it. */
        WaveOrder: {
            /**
             * Format: int64
             * @description Its turn in the wave: by `ship_by`, then by `placed_at`, then by age.
             * @example 1
             */
            position: number;
            /** @description The order that was taken, by its id. It may be deleted by now. */
            order_id: string;
            /**
             * @description The number that your shop gave the order. Null if it has none, or is deleted.
             * @example 1042
             */
            reference?: string | null;
            /**
             * @description `pending` until its turn, then `done` or `exception`; `cancelled` if the wave was cancelled before its turn.
             * @example done
             * @enum {string}
             */
            result: "pending" | "done" | "exception" | "cancelled";
            /** @description The last step that was done for it: `plan`, `ship` or `rate`. Null before that. A retry goes on from there. */
            step?: ("plan" | "ship" | "rate" | "batch" | "purchase") | null;
            /**
             * @description Why, for programs. `no_stock`: not all of it is in stock where it may be sent from. `no_rule`: no shipping rule sets a service. `rate_step_missing`: a rule chooses by rates, and the wave has no step `rate`. `no_rate`: no carrier offers a rate that the rule allows. `address_invalid`, `on_hold`, `order_not_found`, `in_other_wave`, `shipment_changed`: what they say. All others are codes of problems, such as `customs_data_missing`.
             * @example no_stock
             */
            code?: string | null;
            /**
             * @description Why, in a sentence for a person.
             * @example TEE-BLUE-M: 2 wanted, 1 can be allocated.
             */
            message?: string | null;
            /** @description The shipments that the wave made from it, one for each location or more. */
            shipment_ids: string[];
        };
        /** @description One attempt of a delivery. */
        WebhookAttempt: {
            /**
             * Format: date-time
             * @description When the request was sent; also its `webhook-timestamp`.
             * @example 2026-11-01T09:30:00.000000Z
             */
            attempted_at: string;
            /**
             * Format: int64
             * @description The status that the receiver answered with; null where it did not answer.
             * @example 200
             */
            status_code?: number | null;
            /**
             * Format: int64
             * @description Milliseconds from the connection to the answer, or to the failure. An attempt has 15 seconds.
             * @example 41
             */
            latency_ms: number;
            /**
             * @description Why no answer came, such as a refused connection or a timeout. Null if there was one.
             * @example The receiver did not answer within 15 s.
             */
            error?: string | null;
            /**
             * @description The first 4 kB of what the receiver answered, to find its own error message.
             * @example ok
             */
            response_body?: string | null;
        };
        /** @description One event on its way to one endpoint. */
        WebhookDelivery: {
            /** @description Made for an event and an endpoint; every attempt is listed under it. */
            id: string;
            /** @description The address of yours that the event is posted to, by its id. */
            webhook_endpoint_id: string;
            /** @description The event's id, which is also the delivery's `webhook-id`: the same for every attempt and replay. */
            event_id: string;
            /**
             * @description The type of the event that is sent, such as `order.created`.
             * @example location.created
             */
            event_type: string;
            /**
             * Format: int64
             * @description The event's place in the log; null for a test event, which is not in it.
             * @example 7
             */
            sequence?: number | null;
            /**
             * @description `pending` until it is attempted, `retrying` while there are attempts to come.
             * @example succeeded
             * @enum {string}
             */
            status: "pending" | "succeeded" | "retrying" | "failed";
            /**
             * Format: int64
             * @description Attempts so far. After eight failures the delivery is `failed`.
             * @example 1
             */
            attempt: number;
            /**
             * Format: date-time
             * @description When it is tried next. Null if it succeeded or was given up.
             * @example 2026-11-01T09:30:00.000000Z
             */
            next_attempt_at?: string | null;
            /** @description Every attempt with what came of it, oldest first. */
            attempts: components["schemas"]["WebhookAttempt"][];
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description An address that the organisation's events are posted to, signed, at least once, in order while it succeeds. */
        WebhookEndpoint: {
            /** @description Made when the endpoint is created. Its deliveries and replays are found under it. */
            id: string;
            /**
             * @description Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them.
             * @example https://shop.example.com/hooks/dockside
             */
            url: string;
            /** @description Which events are posted here. Without it, all that your token may read. */
            event_types?: ("*" | "location.created" | "location.updated" | "location.deleted" | "location_configuration.created" | "location_configuration.updated" | "location_configuration.deleted" | "inventory_item.created" | "inventory_item.updated" | "inventory_item.deleted" | "inventory.updated" | "order.created" | "order.updated" | "order.committed" | "order.cancelled" | "order.fulfilled" | "order.deleted" | "order.held" | "order.released" | "order.exception_raised" | "order.exception_resolved" | "reservation.created" | "reservation.updated" | "reservation.deleted" | "allocation.created" | "allocation.updated" | "allocation.completed" | "allocation.reopened" | "allocation.deleted" | "package_type.created" | "package_type.updated" | "package_type.deleted" | "shipment.created" | "shipment.updated" | "shipment.rated" | "shipment.purchased" | "shipment.purchase_failed" | "shipment.voided" | "shipment.packed" | "shipment.handed_over" | "shipment.deleted" | "tracking.updated" | "purchase_attempt.needs_review" | "purchase_attempt.resolved" | "batch.created" | "batch.updated" | "batch.purchase_started" | "batch.purchased" | "batch.purchase_failed" | "batch.labels_ready" | "batch.labels_created" | "batch.manifested" | "batch.deleted" | "manifest.created" | "manifest.failed" | "shipping_rule.created" | "shipping_rule.updated" | "shipping_rule.deleted" | "printer.created" | "printer.updated" | "printer.deleted" | "print_job.created" | "print_job.updated" | "wave.created" | "wave.updated" | "wave.completed" | "import.created" | "import.updated" | "import.completed" | "import.failed" | "import.cancelled" | "wave.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.deleted" | "passkey.created" | "passkey.deleted" | "role.created" | "role.updated" | "role.deleted" | "organisation.updated" | "webhook_endpoint.disabled")[] | null;
            /** @description The resources whose events are posted here: those that the token could read that last chose `event_types`. `*` is all of them, those of later versions too. */
            resources: string[];
            /**
             * @description A note for your team. It is not sent along.
             * @example Order status page
             */
            description?: string | null;
            /**
             * @description Whether deliveries are held back. Once it is enabled again they go on where they stopped.
             * @example false
             */
            disabled?: boolean | null;
            disabled_reason?: ("gone" | "failing") | null;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description An address that the organisation's events are posted to, signed, at least once, in order while it succeeds. */
        WebhookEndpointInput: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them.
             * @example https://shop.example.com/hooks/dockside
             */
            url: string;
            /** @description Which events are posted here. Without it, all that your token may read. */
            event_types?: ("*" | "location.created" | "location.updated" | "location.deleted" | "location_configuration.created" | "location_configuration.updated" | "location_configuration.deleted" | "inventory_item.created" | "inventory_item.updated" | "inventory_item.deleted" | "inventory.updated" | "order.created" | "order.updated" | "order.committed" | "order.cancelled" | "order.fulfilled" | "order.deleted" | "order.held" | "order.released" | "order.exception_raised" | "order.exception_resolved" | "reservation.created" | "reservation.updated" | "reservation.deleted" | "allocation.created" | "allocation.updated" | "allocation.completed" | "allocation.reopened" | "allocation.deleted" | "package_type.created" | "package_type.updated" | "package_type.deleted" | "shipment.created" | "shipment.updated" | "shipment.rated" | "shipment.purchased" | "shipment.purchase_failed" | "shipment.voided" | "shipment.packed" | "shipment.handed_over" | "shipment.deleted" | "tracking.updated" | "purchase_attempt.needs_review" | "purchase_attempt.resolved" | "batch.created" | "batch.updated" | "batch.purchase_started" | "batch.purchased" | "batch.purchase_failed" | "batch.labels_ready" | "batch.labels_created" | "batch.manifested" | "batch.deleted" | "manifest.created" | "manifest.failed" | "shipping_rule.created" | "shipping_rule.updated" | "shipping_rule.deleted" | "printer.created" | "printer.updated" | "printer.deleted" | "print_job.created" | "print_job.updated" | "wave.created" | "wave.updated" | "wave.completed" | "import.created" | "import.updated" | "import.completed" | "import.failed" | "import.cancelled" | "wave.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.deleted" | "passkey.created" | "passkey.deleted" | "role.created" | "role.updated" | "role.deleted" | "organisation.updated" | "webhook_endpoint.disabled")[] | null;
            /** @description Made by the server; ignored in requests. */
            resources?: unknown;
            /**
             * @description A note for your team. It is not sent along.
             * @example Order status page
             */
            description?: string | null;
            /**
             * @description Whether deliveries are held back. Once it is enabled again they go on where they stopped.
             * @example false
             */
            disabled?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            disabled_reason?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description An address that the organisation's events are posted to, signed, at least once, in order while it succeeds. */
        WebhookEndpointPatch: {
            /** @description Made by the server; ignored in requests. */
            id?: unknown;
            /**
             * @description Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them.
             * @example https://shop.example.com/hooks/dockside
             */
            url?: string;
            /** @description Which events are posted here. Without it, all that your token may read. */
            event_types?: ("*" | "location.created" | "location.updated" | "location.deleted" | "location_configuration.created" | "location_configuration.updated" | "location_configuration.deleted" | "inventory_item.created" | "inventory_item.updated" | "inventory_item.deleted" | "inventory.updated" | "order.created" | "order.updated" | "order.committed" | "order.cancelled" | "order.fulfilled" | "order.deleted" | "order.held" | "order.released" | "order.exception_raised" | "order.exception_resolved" | "reservation.created" | "reservation.updated" | "reservation.deleted" | "allocation.created" | "allocation.updated" | "allocation.completed" | "allocation.reopened" | "allocation.deleted" | "package_type.created" | "package_type.updated" | "package_type.deleted" | "shipment.created" | "shipment.updated" | "shipment.rated" | "shipment.purchased" | "shipment.purchase_failed" | "shipment.voided" | "shipment.packed" | "shipment.handed_over" | "shipment.deleted" | "tracking.updated" | "purchase_attempt.needs_review" | "purchase_attempt.resolved" | "batch.created" | "batch.updated" | "batch.purchase_started" | "batch.purchased" | "batch.purchase_failed" | "batch.labels_ready" | "batch.labels_created" | "batch.manifested" | "batch.deleted" | "manifest.created" | "manifest.failed" | "shipping_rule.created" | "shipping_rule.updated" | "shipping_rule.deleted" | "printer.created" | "printer.updated" | "printer.deleted" | "print_job.created" | "print_job.updated" | "wave.created" | "wave.updated" | "wave.completed" | "import.created" | "import.updated" | "import.completed" | "import.failed" | "import.cancelled" | "wave.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.deleted" | "passkey.created" | "passkey.deleted" | "role.created" | "role.updated" | "role.deleted" | "organisation.updated" | "webhook_endpoint.disabled")[] | null;
            /** @description Made by the server; ignored in requests. */
            resources?: unknown;
            /**
             * @description A note for your team. It is not sent along.
             * @example Order status page
             */
            description?: string | null;
            /**
             * @description Whether deliveries are held back. Once it is enabled again they go on where they stopped.
             * @example false
             */
            disabled?: boolean | null;
            /** @description Made by the server; ignored in requests. */
            disabled_reason?: unknown;
            /** @description Made by the server; ignored in requests. */
            created_at?: unknown;
            /** @description Made by the server; ignored in requests. */
            updated_at?: unknown;
        };
        /** @description An endpoint, and the secret that was just made for it. */
        WebhookEndpointWithSecret: {
            /** @description Made when the endpoint is created. Its deliveries and replays are found under it. */
            id: string;
            /**
             * @description Where events are posted to: `https://…`, or `http://…`. Private, loopback and link-local addresses are refused, unless the operator allows them.
             * @example https://shop.example.com/hooks/dockside
             */
            url: string;
            /** @description Which events are posted here. Without it, all that your token may read. */
            event_types?: ("*" | "location.created" | "location.updated" | "location.deleted" | "location_configuration.created" | "location_configuration.updated" | "location_configuration.deleted" | "inventory_item.created" | "inventory_item.updated" | "inventory_item.deleted" | "inventory.updated" | "order.created" | "order.updated" | "order.committed" | "order.cancelled" | "order.fulfilled" | "order.deleted" | "order.held" | "order.released" | "order.exception_raised" | "order.exception_resolved" | "reservation.created" | "reservation.updated" | "reservation.deleted" | "allocation.created" | "allocation.updated" | "allocation.completed" | "allocation.reopened" | "allocation.deleted" | "package_type.created" | "package_type.updated" | "package_type.deleted" | "shipment.created" | "shipment.updated" | "shipment.rated" | "shipment.purchased" | "shipment.purchase_failed" | "shipment.voided" | "shipment.packed" | "shipment.handed_over" | "shipment.deleted" | "tracking.updated" | "purchase_attempt.needs_review" | "purchase_attempt.resolved" | "batch.created" | "batch.updated" | "batch.purchase_started" | "batch.purchased" | "batch.purchase_failed" | "batch.labels_ready" | "batch.labels_created" | "batch.manifested" | "batch.deleted" | "manifest.created" | "manifest.failed" | "shipping_rule.created" | "shipping_rule.updated" | "shipping_rule.deleted" | "printer.created" | "printer.updated" | "printer.deleted" | "print_job.created" | "print_job.updated" | "wave.created" | "wave.updated" | "wave.completed" | "import.created" | "import.updated" | "import.completed" | "import.failed" | "import.cancelled" | "wave.cancelled" | "user.created" | "user.updated" | "user.disabled" | "user.deleted" | "passkey.created" | "passkey.deleted" | "role.created" | "role.updated" | "role.deleted" | "organisation.updated" | "webhook_endpoint.disabled")[] | null;
            /** @description The resources whose events are posted here: those that the token could read that last chose `event_types`. `*` is all of them, those of later versions too. */
            resources: string[];
            /**
             * @description A note for your team. It is not sent along.
             * @example Order status page
             */
            description?: string | null;
            /**
             * @description Whether deliveries are held back. Once it is enabled again they go on where they stopped.
             * @example false
             */
            disabled?: boolean | null;
            disabled_reason?: ("gone" | "failing") | null;
            /**
             * @description Verifies the signatures of deliveries, as Standard Webhooks says. Shown once: here. Rotate it if it gets lost.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
             */
            secret: string;
            /**
             * Format: date-time
             * @description When it was created, by the server's clock: RFC 3339 in UTC. Never changes.
             * @example 2026-11-01T09:30:00.000000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, by a request or by the server itself, on the server's clock: RFC 3339 in UTC.
             * @example 2026-11-01T09:30:00.000000Z
             */
            updated_at: string;
        };
        /** @description What is being sent again. */
        WebhookReplay: {
            /**
             * Format: int64
             * @description Everything after the event with this sequence is sent again; 0 is everything that is kept.
             * @example 0
             */
            after_sequence: number;
            /**
             * Format: int64
             * @description The last event there is by now. Later ones follow in their turn.
             * @example 7
             */
            through_sequence: number;
        };
        /** @description From where on to send events again. */
        WebhookReplayInput: {
            /**
             * Format: int64
             * @description Everything after the event with this sequence is sent again; 0 is everything that is kept.
             * @example 0
             */
            after_sequence: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_index: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Find the documentation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_access_tokens: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["AccessToken"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_access_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessTokenInput"];
            };
        };
        responses: {
            /** @description A new access token with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTokenCreated"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_access_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                access_token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An access token. Its secret is shown once, when it is made. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_access_token: {
        parameters: {
            query?: {
                /** @description `true` keeps the tokens that this one made. They then belong to the token that made this one: revoking that one revokes them. Tokens traded for this one at `/oauth/token` go with it in any case. */
                keep_children?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                access_token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_allocations: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only allocations that this place is to send; its id. */
                location_id?: string;
                /** @description Only what belongs to these orders: up to 100 ids, repeated or separated by commas. */
                order_id?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Allocation"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_order_allocations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An item of an order, assigned to a location for fulfilment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Allocation"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_order_allocations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllocationsInput"];
            };
        };
        responses: {
            /** @description An item of an order, assigned to a location for fulfilment. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Allocation"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_order_allocations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_order_allocations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllocationChangesInput"];
            };
        };
        responses: {
            /** @description An item of an order, assigned to a location for fulfilment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Allocation"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pack_order_allocations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PackingInput"];
            };
        };
        responses: {
            /** @description Proposed packages for an order. Nothing is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderPacking"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    plan_order_allocations: {
        parameters: {
            query?: {
                /** @description `true` makes the allocations of the best proposal, all or none. If the stock moved meanwhile: 409 `stock_moved`. */
                apply?: boolean;
            };
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Plan the allocation of an order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_batches: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only batches that have come this far: `open`, `purchasing`, `purchased`, `partially_purchased` or `purchase_failed`. */
                status?: "open" | "purchasing" | "purchased" | "partially_purchased" | "purchase_failed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Batch"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchInput"];
            };
        };
        responses: {
            /** @description Shipments that are bought, labelled and handed over together. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shipments that are bought, labelled and handed over together. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchPatch"];
                "application/merge-patch+json": components["schemas"]["BatchPatch"];
            };
        };
        responses: {
            /** @description Shipments that are bought, labelled and handed over together. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_batch_labels: {
        parameters: {
            query?: {
                /** @description Only labels in this format, and the file with all of them. Without it, the files of all formats, and each label in the batch's own format, or as it is where it has none in that. */
                format?: "png" | "zpl" | "pdf";
            };
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_batch_labels: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchLabelsInput"];
            };
        };
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_batch_manifests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a carrier takes over together: of one account, from one place, on one day. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Manifest"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_batch_manifests: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was done before: nothing is new. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Manifest"][];
                    };
                };
            };
            /** @description What a carrier takes over together: of one account, from one place, on one day. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Manifest"][];
                    };
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Manifest"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_batch_packing_slips: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchPaperInput"];
            };
        };
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_batch_papers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchPaperInput"];
            };
        };
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_batch_pick_lists: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PickListsInput"];
            };
        };
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    purchase_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shipments that are bought, labelled and handed over together. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_batch_shipments: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Which of the large parts of a shipment to show; the others are left out. Without it, all are shown. Fewer parts make large pages faster. */
                include_fields?: ("origin_address" | "destination_address" | "return_address" | "rates" | "selected_rate" | "documents" | "errors")[];
            };
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["PartialShipment"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_batch_shipments: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchShipmentsRemovedInput"];
            };
        };
        responses: {
            /** @description Shipments that are bought, labelled and handed over together. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    add_batch_shipments: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchShipmentsAddedInput"];
            };
        };
        responses: {
            /** @description Shipments that are bought, labelled and handed over together. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_branding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the organisation puts on its packing slips and pick lists, in the token's world. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branding"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_branding: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BrandingInput"];
            };
        };
        responses: {
            /** @description What the organisation puts on its packing slips and pick lists, in the token's world. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branding"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_branding: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_carrier_accounts: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["CarrierAccount"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_carrier_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CarrierAccountInput"];
            };
        };
        responses: {
            /** @description A contract with a carrier: with it rates are asked for and labels are bought. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CarrierAccount"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_carrier_account: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                carrier_account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A contract with a carrier: with it rates are asked for and labels are bought. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CarrierAccount"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_carrier_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                carrier_account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_carrier_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                carrier_account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CarrierAccountPatch"];
                "application/merge-patch+json": components["schemas"]["CarrierAccountPatch"];
            };
        };
        responses: {
            /** @description A contract with a carrier: with it rates are asked for and labels are bought. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CarrierAccount"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_carrier_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                carrier_account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the carrier lets an account in. Nothing is bought and nothing is kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CarrierAccountTest"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_carrier_message: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                carrier_account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string | Blob | ArrayBuffer;
            };
        };
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_carriers: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Carrier"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_carrier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                carrier_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A company that carries parcels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Carrier"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_carrier_services: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                carrier_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["CarrierService"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the documentation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_errors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read what each problem means */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_guide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the guide */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_labels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See the labels that the guide shows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_picture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                picture: "today.png" | "orders.png" | "batch.png" | "shipment.png" | "pack.png" | "import.png";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See a picture of the console in the guide */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_guide_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                page: "first-steps" | "console" | "first-day" | "orders" | "packages" | "parcels" | "waves" | "imports" | "exports" | "command-line" | "shipments" | "batches" | "manifests" | "printing" | "shipping-rules" | "papers" | "scanning" | "search" | "costs" | "carriers" | "sandbox" | "labels" | "webhooks" | "realtime" | "client-libraries" | "users" | "settings" | "installing" | "operating";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read a page of the guide */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_script: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the documentation's script */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_search_script: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the script of the search */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the index of the search */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_style: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the documentation's style */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only events with a higher `sequence`, the oldest first: pass the last one you have, and 0 for the beginning. Without it, the newest come first. */
                after?: number;
                /** @description Only events of one kind, such as `order.created`. [The event](/docs#object-Event) lists them. */
                type?: string;
                /** @description Only what happened to this one thing (`shp_…`, `ord_…`), whether or not it still exists. */
                resource_id?: string;
                /** @description Only what this actor did: `usr_…`, `tok_…`, or a type without an id, such as `job`. */
                actor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Event"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_connection_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token for the stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamToken"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_connection_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token for the stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamToken"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deprovision_events_by_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deprovision_events: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    provision_events_by_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    provision_events: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_subscription_token: {
        parameters: {
            query?: {
                /** @description The channel to join, where no body names it. A `#` is written `%23`. */
                channel?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubscriptionInput"];
            };
        };
        responses: {
            /** @description A token for the stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamToken"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_subscription_token: {
        parameters: {
            query?: {
                /** @description The channel to join, where no body names it. A `#` is written `%23`. */
                channel?: string;
            };
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubscriptionInput"];
            };
        };
        responses: {
            /** @description A token for the stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamToken"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that happened, in the order of commits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_events_csv: {
        parameters: {
            query?: {
                /** @description Only events with a higher `sequence`, the oldest first: pass the last one you have, and 0 for the beginning. Without it, the newest come first. */
                after?: number;
                /** @description Only events of one kind, such as `order.created`. [The event](/docs#object-Event) lists them. */
                type?: string;
                /** @description Only what happened to this one thing (`shp_…`, `ord_…`), whether or not it still exists. */
                resource_id?: string;
                /** @description Only what this actor did: `usr_…`, `tok_…`, or a type without an id, such as `job`. */
                actor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export events as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_events_ndjson: {
        parameters: {
            query?: {
                /** @description Only events with a higher `sequence`, the oldest first: pass the last one you have, and 0 for the beginning. Without it, the newest come first. */
                after?: number;
                /** @description Only events of one kind, such as `order.created`. [The event](/docs#object-Event) lists them. */
                type?: string;
                /** @description Only what happened to this one thing (`shp_…`, `ord_…`), whether or not it still exists. */
                resource_id?: string;
                /** @description Only what this actor did: `usr_…`, `tok_…`, or a type without an id, such as `job`. */
                actor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export events as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_inventory_items_csv: {
        parameters: {
            query?: {
                /** @description Only the item with exactly this code: one entry, or none. */
                sku?: string;
                /** @description Only the item with this barcode: one entry, or none. A GTIN is found with and without zeros in front. */
                barcode?: string;
                /** @description Only items with this whole name. The letters A to Z match in upper and lower case. */
                name?: string;
                /** @description `true` for the items that have low stock at a location, `false` for those that have it nowhere. Without it, both. */
                low_stock?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export inventory items as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_inventory_items_ndjson: {
        parameters: {
            query?: {
                /** @description Only the item with exactly this code: one entry, or none. */
                sku?: string;
                /** @description Only the item with this barcode: one entry, or none. A GTIN is found with and without zeros in front. */
                barcode?: string;
                /** @description Only items with this whole name. The letters A to Z match in upper and lower case. */
                name?: string;
                /** @description `true` for the items that have low stock at a location, `false` for those that have it nowhere. Without it, both. */
                low_stock?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export inventory items as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_inventory_levels_csv: {
        parameters: {
            query?: {
                /** @description Only those of this inventory item, named by its `inv_…`. */
                item_id?: string;
                /** @description Only levels at this place, named by its `loc_…`. */
                location_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export inventory levels as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_inventory_levels_ndjson: {
        parameters: {
            query?: {
                /** @description Only those of this inventory item, named by its `inv_…`. */
                item_id?: string;
                /** @description Only levels at this place, named by its `loc_…`. */
                location_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export inventory levels as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_level_history_csv: {
        parameters: {
            query?: {
                /** @description Only those of this inventory item, named by its `inv_…`. */
                item_id?: string;
                /** @description Only changes of the item's level at this place, named by its `loc_…`. Needs `item_id`. */
                location_id?: string;
                /** @description Only changes that were made later than this moment. */
                created_after?: string;
                /** @description Only changes that were made earlier than this moment. */
                created_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export the history of levels as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_level_history_ndjson: {
        parameters: {
            query?: {
                /** @description Only those of this inventory item, named by its `inv_…`. */
                item_id?: string;
                /** @description Only changes of the item's level at this place, named by its `loc_…`. Needs `item_id`. */
                location_id?: string;
                /** @description Only changes that were made later than this moment. */
                created_after?: string;
                /** @description Only changes that were made earlier than this moment. */
                created_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export the history of levels as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_locations_csv: {
        parameters: {
            query?: {
                /** @description Only locations that carry all of the named words. */
                tags?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export locations as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_locations_ndjson: {
        parameters: {
            query?: {
                /** @description Only locations that carry all of the named words. */
                tags?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export locations as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_manifests_csv: {
        parameters: {
            query?: {
                /** @description Only those that the carrier is being told (`creating`), has taken (`created`) or has refused (`failed`). */
                status?: "creating" | "created" | "failed";
                /** @description Only manifests of parcels that leave from this place; its id. */
                location?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export manifests as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_manifests_ndjson: {
        parameters: {
            query?: {
                /** @description Only those that the carrier is being told (`creating`), has taken (`created`) or has refused (`failed`). */
                status?: "creating" | "created" | "failed";
                /** @description Only manifests of parcels that leave from this place; its id. */
                location?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export manifests as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_order_lines_csv: {
        parameters: {
            query?: {
                /** @description Only orders that stand here: `draft`, `committed`, `fulfilled` or `cancelled`. */
                status?: "draft" | "committed" | "fulfilled" | "cancelled";
                /** @description Only orders with exactly this number of your shop. */
                reference?: string;
                /** @description Only orders that are this far: `unallocated`, `partially_allocated`, `allocated`, `partially_shipped`, `shipped`, `partially_delivered` or `delivered`. */
                fulfilment_status?: "unallocated" | "partially_allocated" | "allocated" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered";
                /** @description Only orders whose customer has this whole name or company. Upper and lower case are the same. */
                customer?: string;
                /** @description Only orders whose customer has this email address. Upper and lower case are the same. */
                email_address?: string;
                /** @description Only orders that were sold through exactly this channel. */
                channel?: string;
                /** @description Only orders that have all of these tags, repeated or separated by commas. */
                tags?: string[];
                /** @description Only orders that were placed later than this. Orders without `placed_at` are left out. */
                placed_after?: string;
                /** @description Only orders that were placed earlier than this. Orders without `placed_at` are left out. */
                placed_before?: string;
                /** @description Only orders that must have left earlier than this. Orders without `ship_by` are left out. */
                ship_by_before?: string;
                /** @description Only orders with an allocation at this place, open or completed; its id. */
                location_id?: string;
                /** @description Only orders that contain the inventory item with this SKU. If no item has it: drafts with a line that waits for it. */
                sku?: string;
                /** @description `true`: only orders that wait and are not planned, with their reason in `hold`. `false`: only those that may be worked on. */
                on_hold?: boolean;
                /** @description `true`: only orders with an unresolved exception. `false`: only those without. */
                has_exception?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export order lines as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_order_lines_ndjson: {
        parameters: {
            query?: {
                /** @description Only orders that stand here: `draft`, `committed`, `fulfilled` or `cancelled`. */
                status?: "draft" | "committed" | "fulfilled" | "cancelled";
                /** @description Only orders with exactly this number of your shop. */
                reference?: string;
                /** @description Only orders that are this far: `unallocated`, `partially_allocated`, `allocated`, `partially_shipped`, `shipped`, `partially_delivered` or `delivered`. */
                fulfilment_status?: "unallocated" | "partially_allocated" | "allocated" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered";
                /** @description Only orders whose customer has this whole name or company. Upper and lower case are the same. */
                customer?: string;
                /** @description Only orders whose customer has this email address. Upper and lower case are the same. */
                email_address?: string;
                /** @description Only orders that were sold through exactly this channel. */
                channel?: string;
                /** @description Only orders that have all of these tags, repeated or separated by commas. */
                tags?: string[];
                /** @description Only orders that were placed later than this. Orders without `placed_at` are left out. */
                placed_after?: string;
                /** @description Only orders that were placed earlier than this. Orders without `placed_at` are left out. */
                placed_before?: string;
                /** @description Only orders that must have left earlier than this. Orders without `ship_by` are left out. */
                ship_by_before?: string;
                /** @description Only orders with an allocation at this place, open or completed; its id. */
                location_id?: string;
                /** @description Only orders that contain the inventory item with this SKU. If no item has it: drafts with a line that waits for it. */
                sku?: string;
                /** @description `true`: only orders that wait and are not planned, with their reason in `hold`. `false`: only those that may be worked on. */
                on_hold?: boolean;
                /** @description `true`: only orders with an unresolved exception. `false`: only those without. */
                has_exception?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export order lines as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_orders_csv: {
        parameters: {
            query?: {
                /** @description Only orders that stand here: `draft`, `committed`, `fulfilled` or `cancelled`. */
                status?: "draft" | "committed" | "fulfilled" | "cancelled";
                /** @description Only orders with exactly this number of your shop. */
                reference?: string;
                /** @description Only orders that are this far: `unallocated`, `partially_allocated`, `allocated`, `partially_shipped`, `shipped`, `partially_delivered` or `delivered`. */
                fulfilment_status?: "unallocated" | "partially_allocated" | "allocated" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered";
                /** @description Only orders whose customer has this whole name or company. Upper and lower case are the same. */
                customer?: string;
                /** @description Only orders whose customer has this email address. Upper and lower case are the same. */
                email_address?: string;
                /** @description Only orders that were sold through exactly this channel. */
                channel?: string;
                /** @description Only orders that have all of these tags, repeated or separated by commas. */
                tags?: string[];
                /** @description Only orders that were placed later than this. Orders without `placed_at` are left out. */
                placed_after?: string;
                /** @description Only orders that were placed earlier than this. Orders without `placed_at` are left out. */
                placed_before?: string;
                /** @description Only orders that must have left earlier than this. Orders without `ship_by` are left out. */
                ship_by_before?: string;
                /** @description Only orders with an allocation at this place, open or completed; its id. */
                location_id?: string;
                /** @description Only orders that contain the inventory item with this SKU. If no item has it: drafts with a line that waits for it. */
                sku?: string;
                /** @description `true`: only orders that wait and are not planned, with their reason in `hold`. `false`: only those that may be worked on. */
                on_hold?: boolean;
                /** @description `true`: only orders with an unresolved exception. `false`: only those without. */
                has_exception?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export orders as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_orders_ndjson: {
        parameters: {
            query?: {
                /** @description Only orders that stand here: `draft`, `committed`, `fulfilled` or `cancelled`. */
                status?: "draft" | "committed" | "fulfilled" | "cancelled";
                /** @description Only orders with exactly this number of your shop. */
                reference?: string;
                /** @description Only orders that are this far: `unallocated`, `partially_allocated`, `allocated`, `partially_shipped`, `shipped`, `partially_delivered` or `delivered`. */
                fulfilment_status?: "unallocated" | "partially_allocated" | "allocated" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered";
                /** @description Only orders whose customer has this whole name or company. Upper and lower case are the same. */
                customer?: string;
                /** @description Only orders whose customer has this email address. Upper and lower case are the same. */
                email_address?: string;
                /** @description Only orders that were sold through exactly this channel. */
                channel?: string;
                /** @description Only orders that have all of these tags, repeated or separated by commas. */
                tags?: string[];
                /** @description Only orders that were placed later than this. Orders without `placed_at` are left out. */
                placed_after?: string;
                /** @description Only orders that were placed earlier than this. Orders without `placed_at` are left out. */
                placed_before?: string;
                /** @description Only orders that must have left earlier than this. Orders without `ship_by` are left out. */
                ship_by_before?: string;
                /** @description Only orders with an allocation at this place, open or completed; its id. */
                location_id?: string;
                /** @description Only orders that contain the inventory item with this SKU. If no item has it: drafts with a line that waits for it. */
                sku?: string;
                /** @description `true`: only orders that wait and are not planned, with their reason in `hold`. `false`: only those that may be worked on. */
                on_hold?: boolean;
                /** @description `true`: only orders with an unresolved exception. `false`: only those without. */
                has_exception?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export orders as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_package_types_csv: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export package types as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_package_types_ndjson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export package types as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_shipments_csv: {
        parameters: {
            query?: {
                /** @description Only those that stand here with their carrier, such as `purchase_failed` to find what needs repair. */
                status?: "draft" | "rated" | "purchasing" | "purchased" | "purchase_failed" | "voided";
                /** @description Only shipments of which the carrier last reported this, such as `failure`. `unknown` is also what was not bought. */
                tracking_status?: "unknown" | "pre_transit" | "in_transit" | "out_for_delivery" | "available_for_pickup" | "delivered" | "return_to_sender" | "failure" | "cancelled";
                /** @description Only the shipment with this number on one of its packages. Spaces, upper and lower case make no difference. */
                tracking_number?: string;
                /** @description Only what was sent for one customer: shipments that were made from this order, named by its `ord_…`. */
                order_id?: string;
                /** @description Only shipments whose `name` is exactly this. */
                reference?: string;
                /** @description Only shipments with a service of this company, by its handle. Before a service is chosen: those that request it by `carrier.carrier_code`. */
                carrier?: string;
                /** @description Only shipments whose service was chosen from this account of yours; its id or its handle. */
                carrier_account?: string;
                /** @description Only its current members: shipments that are bought and labelled together, named by its `batch_…`. */
                batch_id?: string;
                /** @description Only shipments that leave from this place, copied from a location configuration; its id. */
                location_id?: string;
                /** @description Only shipments that were made later than this moment. */
                created_after?: string;
                /** @description Only shipments that were made earlier than this moment. */
                created_before?: string;
                /** @description Only shipments that were bought later than this moment, also if they were voided since. */
                purchased_after?: string;
                /** @description Only shipments that were bought earlier than this moment, also if they were voided since. */
                purchased_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export shipments as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_shipments_ndjson: {
        parameters: {
            query?: {
                /** @description Only those that stand here with their carrier, such as `purchase_failed` to find what needs repair. */
                status?: "draft" | "rated" | "purchasing" | "purchased" | "purchase_failed" | "voided";
                /** @description Only shipments of which the carrier last reported this, such as `failure`. `unknown` is also what was not bought. */
                tracking_status?: "unknown" | "pre_transit" | "in_transit" | "out_for_delivery" | "available_for_pickup" | "delivered" | "return_to_sender" | "failure" | "cancelled";
                /** @description Only the shipment with this number on one of its packages. Spaces, upper and lower case make no difference. */
                tracking_number?: string;
                /** @description Only what was sent for one customer: shipments that were made from this order, named by its `ord_…`. */
                order_id?: string;
                /** @description Only shipments whose `name` is exactly this. */
                reference?: string;
                /** @description Only shipments with a service of this company, by its handle. Before a service is chosen: those that request it by `carrier.carrier_code`. */
                carrier?: string;
                /** @description Only shipments whose service was chosen from this account of yours; its id or its handle. */
                carrier_account?: string;
                /** @description Only its current members: shipments that are bought and labelled together, named by its `batch_…`. */
                batch_id?: string;
                /** @description Only shipments that leave from this place, copied from a location configuration; its id. */
                location_id?: string;
                /** @description Only shipments that were made later than this moment. */
                created_after?: string;
                /** @description Only shipments that were made earlier than this moment. */
                created_before?: string;
                /** @description Only shipments that were bought later than this moment, also if they were voided since. */
                purchased_after?: string;
                /** @description Only shipments that were bought earlier than this moment, also if they were voided since. */
                purchased_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Export shipments as lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download a file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tell whether the process lives */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_imports: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only imports that stand here, such as `running`. */
                status?: "awaiting_content" | "queued" | "running" | "completed" | "failed" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Import"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_import: {
        parameters: {
            query?: {
                /** @description What the rows of the file become. Required if the body is the file itself. */
                type?: "orders" | "inventory_items" | "inventory_levels" | "locations" | "package_types" | "shipments";
                /** @description How the file in the body is written: `csv`, or `ndjson`. */
                format?: "csv" | "ndjson";
                /** @description Whether to only say what would happen with the file in the body. */
                dry_run?: boolean;
                /** @description What happens to rows of the file in the body whose resource exists. */
                on_conflict?: "skip" | "update";
                /** @description Whether to go on after a refused row of the file in the body. */
                on_error?: "continue" | "stop";
                /** @description Whose habits the numbers in the file follow, such as `de-DE`. */
                locale?: string;
            };
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string | Blob | ArrayBuffer;
                "application/x-ndjson": string | Blob | ArrayBuffer;
                "application/json": components["schemas"]["ImportInput"];
            };
        };
        responses: {
            /** @description A file whose rows become resources. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_inventory_items_template: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a template for inventory items */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_inventory_levels_template: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a template for inventory levels */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_locations_template: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a template for locations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_orders_template: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a template for orders */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_package_types_template: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a template for package types */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_shipments_template: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a template for shipments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_import: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                import_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file whose rows become resources. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_import: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                import_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file whose rows become resources. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_import_content: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                import_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string | Blob | ArrayBuffer;
                "application/x-ndjson": string | Blob | ArrayBuffer;
            };
        };
        responses: {
            /** @description A file whose rows become resources. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_import_errors: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                import_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["ImportError"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_import_errors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                import_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an import's refused rows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audit_inventory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Audit the stock */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_inventory_items: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only the item with exactly this code: one entry, or none. */
                sku?: string;
                /** @description Only the item with this barcode: one entry, or none. A GTIN is found with and without zeros in front. */
                barcode?: string;
                /** @description Only items with this whole name. The letters A to Z match in upper and lower case. */
                name?: string;
                /** @description `true` for the items that have low stock at a location, `false` for those that have it nowhere. Without it, both. */
                low_stock?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["InventoryItem"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_inventory_item: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InventoryItemInput"];
            };
        };
        responses: {
            /** @description What an order wants and a location holds. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryItem"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_inventory_item: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                inventory_item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What an order wants and a location holds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryItem"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_inventory_item: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                inventory_item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_inventory_item: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                inventory_item_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InventoryItemPatch"];
                "application/merge-patch+json": components["schemas"]["InventoryItemPatch"];
            };
        };
        responses: {
            /** @description What an order wants and a location holds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryItem"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_inventory_levels: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                inventory_item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["InventoryLevel"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_inventory_level: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                inventory_item_id: string;
                location_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How much of an item lies at a location, and how much of that is promised. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryLevel"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_inventory_level: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                inventory_item_id: string;
                location_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InventoryLevelInput"];
            };
        };
        responses: {
            /** @description How much of an item lies at a location, and how much of that is promised. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryLevel"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_inventory_level: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                inventory_item_id: string;
                location_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InventoryLevelPatch"];
                "application/merge-patch+json": components["schemas"]["InventoryLevelPatch"];
            };
        };
        responses: {
            /** @description How much of an item lies at a location, and how much of that is promised. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryLevel"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adjust_inventory_level: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                inventory_item_id: string;
                location_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InventoryAdjustmentInput"];
            };
        };
        responses: {
            /** @description How much of an item lies at a location, and how much of that is promised. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InventoryLevel"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_inventory_changes: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                inventory_item_id: string;
                location_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["InventoryChange"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_location_configurations: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description `address` shows the addresses of both locations too, which lists leave out otherwise. */
                include_fields?: "address"[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        location_configurations: components["schemas"]["LocationConfigurationSummary"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_location_configuration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationConfigurationInput"];
            };
        };
        responses: {
            /** @description A named pair of an origin and a return location, which fills in a shipment's details. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationConfiguration"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_location_configuration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                location_configuration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A named pair of an origin and a return location, which fills in a shipment's details. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationConfiguration"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_location_configuration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                location_configuration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_location_configuration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                location_configuration_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationConfigurationPatch"];
                "application/merge-patch+json": components["schemas"]["LocationConfigurationPatch"];
            };
        };
        responses: {
            /** @description A named pair of an origin and a return location, which fills in a shipment's details. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationConfiguration"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_locations: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only locations that carry all of the named words. */
                tags?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        locations: components["schemas"]["Location"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_location: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationInput"];
            };
        };
        responses: {
            /** @description A physical place, such as a warehouse or a shop, from which shipments are sent. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_location: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                location_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A physical place, such as a warehouse or a shop, from which shipments are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_location: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                location_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_location: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                location_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationPatch"];
                "application/merge-patch+json": components["schemas"]["LocationPatch"];
            };
        };
        responses: {
            /** @description A physical place, such as a warehouse or a shop, from which shipments are sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_manifests: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only those that the carrier is being told (`creating`), has taken (`created`) or has refused (`failed`). */
                status?: "creating" | "created" | "failed";
                /** @description Only manifests of parcels that leave from this place; its id. */
                location?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Manifest"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_manifests: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ManifestInput"];
            };
        };
        responses: {
            /** @description It was done before: nothing is new. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Manifest"][];
                    };
                };
            };
            /** @description What a carrier takes over together: of one account, from one place, on one day. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Manifest"][];
                    };
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Manifest"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_manifest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                manifest_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a carrier takes over together: of one account, from one place, on one day. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Manifest"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retry_manifest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                manifest_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a carrier takes over together: of one account, from one place, on one day. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Manifest"];
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Manifest"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whom the access token or the session speaks for, what it may do, and until when. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_my_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordInput"];
            };
        };
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the metrics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_oauth_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequestInput"];
            };
        };
        responses: {
            /** @description A token that lives an hour. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Read the contract */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_orders: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only orders that stand here: `draft`, `committed`, `fulfilled` or `cancelled`. */
                status?: "draft" | "committed" | "fulfilled" | "cancelled";
                /** @description Only orders with exactly this number of your shop. */
                reference?: string;
                /** @description Only orders that are this far: `unallocated`, `partially_allocated`, `allocated`, `partially_shipped`, `shipped`, `partially_delivered` or `delivered`. */
                fulfilment_status?: "unallocated" | "partially_allocated" | "allocated" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered";
                /** @description Only orders whose customer has this whole name or company. Upper and lower case are the same. */
                customer?: string;
                /** @description Only orders whose customer has this email address. Upper and lower case are the same. */
                email_address?: string;
                /** @description Only orders that were sold through exactly this channel. */
                channel?: string;
                /** @description Only orders that have all of these tags, repeated or separated by commas. */
                tags?: string[];
                /** @description Only orders that were placed later than this. Orders without `placed_at` are left out. */
                placed_after?: string;
                /** @description Only orders that were placed earlier than this. Orders without `placed_at` are left out. */
                placed_before?: string;
                /** @description Only orders that must have left earlier than this. Orders without `ship_by` are left out. */
                ship_by_before?: string;
                /** @description Only orders with an allocation at this place, open or completed; its id. */
                location_id?: string;
                /** @description Only orders that contain the inventory item with this SKU. If no item has it: drafts with a line that waits for it. */
                sku?: string;
                /** @description `true`: only orders that wait and are not planned, with their reason in `hold`. `false`: only those that may be worked on. */
                on_hold?: boolean;
                /** @description `true`: only orders with an unresolved exception. `false`: only those without. */
                has_exception?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Order"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderInput"];
            };
        };
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_order: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderPatch"];
                "application/merge-patch+json": components["schemas"]["OrderPatch"];
            };
        };
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    commit_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolve_order_exception: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
                exception_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderExceptionResolutionInput"];
            };
        };
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    hold_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HoldInput"];
            };
        };
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    match_order_line: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderLineMatchInput"];
            };
        };
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_order_note: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderNoteInput"];
            };
        };
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    release_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a customer ordered. A committed order has a reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_order_shipments: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                order_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OrderShipmentsInput"];
            };
        };
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Shipment"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_organisation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organisation that the access token belongs to, and what it has set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organisation"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_organisation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganisationPatch"];
                "application/merge-patch+json": components["schemas"]["OrganisationPatch"];
            };
        };
        responses: {
            /** @description The organisation that the access token belongs to, and what it has set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organisation"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_package_types: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["PackageType"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_package_type: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PackageTypeInput"];
            };
        };
        responses: {
            /** @description A box or an envelope that you own, any number of times. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageType"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_package_type: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                package_type_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A box or an envelope that you own, any number of times. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageType"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_package_type: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                package_type_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_package_type: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                package_type_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PackageTypePatch"];
                "application/merge-patch+json": components["schemas"]["PackageTypePatch"];
            };
        };
        responses: {
            /** @description A box or an envelope that you own, any number of times. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PackageType"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_passkeys: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Whose passkeys to list. Another user's need the scope `users:read`. Without it, your own. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Passkey"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyInput"];
            };
        };
        responses: {
            /** @description A key on a device of a person, with which the person signs in. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_passkey_challenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a page needs for `navigator.credentials.create`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyChallenge"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_passkey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                passkey_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_password_reset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetInput"];
            };
        };
        responses: {
            /** @description The request is taken. Whether a user has the address is not said. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordReset"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_print_jobs: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only jobs that wait (`queued`), are on their way (`sending`), or ended so. */
                status?: "queued" | "sending" | "printed" | "failed" | "uncertain" | "cancelled";
                /** @description Only what was sent, or waits to be sent, to one device; its id. */
                printer_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["PrintJob"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_print_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrintJobInput"];
            };
        };
        responses: {
            /** @description Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintJob"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    claim_print_jobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrintClaimInput"];
            };
        };
        responses: {
            /** @description A job that an agent has claimed, and its printer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["PrintClaim"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_print_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                print_job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintJob"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_print_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                print_job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintJob"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_print_job_content: {
        parameters: {
            query?: {
                /** @description The `fence` of your claim. If the job was claimed again since, the content is refused. Without it, another agent may hold the claim by now. */
                fence?: number;
                /** @description Which of the job's `document_ids`, counted from 1; the first one if you leave it out. */
                document?: number;
            };
            header?: never;
            path: {
                print_job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a claimed document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reprint_print_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                print_job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintJob"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    report_print_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                print_job_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrintResultInput"];
            };
        };
        responses: {
            /** @description Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrintJob"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_printers: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Printer"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_printer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrinterInput"];
            };
        };
        responses: {
            /** @description A printer that documents are sent to, by the server or by a print agent. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Printer"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_printer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                printer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A printer that documents are sent to, by the server or by a print agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Printer"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_printer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                printer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_printer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                printer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PrinterPatch"];
                "application/merge-patch+json": components["schemas"]["PrinterPatch"];
            };
        };
        responses: {
            /** @description A printer that documents are sent to, by the server or by a print agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Printer"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_purchase_attempts: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only purchases that have come this far. `needs_review` finds those that wait for a person. */
                state?: "ready" | "calling" | "checking" | "needs_review" | "bought" | "failed" | "voiding" | "voided";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["PurchaseAttempt"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_purchase_attempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                purchase_attempt_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is bought for a shipment, and how far that has come. A shipment has one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurchaseAttempt"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolve_purchase_attempt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                purchase_attempt_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolutionInput"];
            };
        };
        responses: {
            /** @description What is bought for a shipment, and how far that has come. A shipment has one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurchaseAttempt"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tell whether requests can be served */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_cost_report: {
        parameters: {
            query?: {
                /** @description The first day, such as `2026-11-01`, in the organisation's time zone. Without it, the report covers the 30 days up to `to`. */
                from?: string;
                /** @description The last day, which is included. Without it, today. A report covers at most 366 days. */
                to?: string;
                /** @description What the shipments of a group have in common: any of these words in any order, separated by commas. Without it, `carrier`. `service` brings `carrier` with it. */
                group_by?: ("day" | "carrier" | "service" | "location")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What carriers charged for the shipments that were bought on some days, and what they gave back. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CostReport"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_reservations: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only what belongs to these orders: up to 100 ids, repeated or separated by commas. */
                order_id?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Reservation"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_roles: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Role"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleInput"];
            };
        };
        responses: {
            /** @description A set of scopes that users have by their `roles`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_role: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A set of scopes that users have by their `roles`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RolePatch"];
                "application/merge-patch+json": components["schemas"]["RolePatch"];
            };
        };
        responses: {
            /** @description A set of scopes that users have by their `roles`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_sample_data: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How much of the sample shop is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SampleData"];
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SampleData"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search_resources: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description What to search for: the beginning of a number, a name or an email address, or several words in any order. Without a letter or a digit, nothing is found. */
                q?: string;
                /** @description Only these kinds of resources, separated by commas. Without it, all that your token may read. A kind that your token may not read is refused with 403. */
                types?: ("order" | "inventory_item" | "shipment" | "batch" | "location")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["SearchResult"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Whose sessions to list. Another user's need the scope `users:read`. Without it, your own. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Session"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionInput"];
            };
        };
        responses: {
            /** @description A person's sign-in, in one browser. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_session_challenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a page needs for `navigator.credentials.get`. It names no key, so it tells nothing of who has one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionChallenge"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_current_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_shipments: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only those that stand here with their carrier, such as `purchase_failed` to find what needs repair. */
                status?: "draft" | "rated" | "purchasing" | "purchased" | "purchase_failed" | "voided";
                /** @description Only shipments of which the carrier last reported this, such as `failure`. `unknown` is also what was not bought. */
                tracking_status?: "unknown" | "pre_transit" | "in_transit" | "out_for_delivery" | "available_for_pickup" | "delivered" | "return_to_sender" | "failure" | "cancelled";
                /** @description Only the shipment with this number on one of its packages. Spaces, upper and lower case make no difference. */
                tracking_number?: string;
                /** @description Only what was sent for one customer: shipments that were made from this order, named by its `ord_…`. */
                order_id?: string;
                /** @description Only shipments whose `name` is exactly this. */
                reference?: string;
                /** @description Only shipments with a service of this company, by its handle. Before a service is chosen: those that request it by `carrier.carrier_code`. */
                carrier?: string;
                /** @description Only shipments whose service was chosen from this account of yours; its id or its handle. */
                carrier_account?: string;
                /** @description Only its current members: shipments that are bought and labelled together, named by its `batch_…`. */
                batch_id?: string;
                /** @description Only shipments that leave from this place, copied from a location configuration; its id. */
                location_id?: string;
                /** @description Only shipments that were made later than this moment. */
                created_after?: string;
                /** @description Only shipments that were made earlier than this moment. */
                created_before?: string;
                /** @description Only shipments that were bought later than this moment, also if they were voided since. */
                purchased_after?: string;
                /** @description Only shipments that were bought earlier than this moment, also if they were voided since. */
                purchased_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Shipment"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_shipment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShipmentInput"];
            };
        };
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_shipment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_shipment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_shipment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShipmentPatch"];
                "application/merge-patch+json": components["schemas"]["ShipmentPatch"];
            };
        };
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_shipment_documents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    hand_over_shipment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_shipment_labels: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_shipment_packing_slip: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ShipmentPaperInput"];
            };
        };
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_shipment_papers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ShipmentPaperInput"];
            };
        };
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    purchase_shipment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurchaseInput"];
            };
        };
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rate_shipment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_shipment_rule_evaluation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the rules decide for one shipment, and why. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingRuleEvaluation"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_shipment_scans: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Scan"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_shipment_scan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScanInput"];
            };
        };
        responses: {
            /** @description A scan, and how far its shipment is packed now. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScanAnswer"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_shipment_scan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                shipment_id: string;
                scan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A scan, and how far its shipment is packed now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScanAnswer"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_shipment_scan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
                scan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_shipment_short: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShortInput"];
            };
        };
        responses: {
            /** @description What a short pick changed: of the shipment before its purchase, of the order after it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Short"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_shipment_tracking: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where a shipment is, and where it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tracking"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    void_shipment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that is sent: from where to where, in which packages, by whom and for how much. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description It takes longer. Read the resource at `Location` again, or wait for its event. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shipment"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_shipping_rules: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["ShippingRule"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_shipping_rule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShippingRuleInput"];
            };
        };
        responses: {
            /** @description Says which service a shipment takes, and with which options, where its conditions hold. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingRule"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    evaluate_shipping_rules: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShippingRuleEvaluationInput"];
            };
        };
        responses: {
            /** @description What the rules decide. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingRuleEvaluations"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reorder_shipping_rules: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShippingRuleOrderInput"];
            };
        };
        responses: {
            /** @description The order in which the rules are asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingRuleOrder"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_shipping_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                shipping_rule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Says which service a shipment takes, and with which options, where its conditions hold. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingRule"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_shipping_rule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                shipping_rule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_shipping_rule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                shipping_rule_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShippingRulePatch"];
                "application/merge-patch+json": components["schemas"]["ShippingRulePatch"];
            };
        };
        responses: {
            /** @description Says which service a shipment takes, and with which options, where its conditions hold. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShippingRule"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_sign_in_methods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ways to sign in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_summary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What needs attention now, and how much was bought on each of the last days. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_users: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["User"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserInput"];
            };
        };
        responses: {
            /** @description A new user, with the link for the first sign-in. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserCreated"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who signs in, or a program that has access tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserPatch"];
                "application/merge-patch+json": components["schemas"]["UserPatch"];
            };
        };
        responses: {
            /** @description A person who signs in, or a program that has access tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    disable_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who signs in, or a program that has access tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enable_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who signs in, or a program that has access tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_user_link: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A one-time link that signs a user in. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sign_out_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who signs in, or a program that has access tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_waves: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only waves that stand here, such as `running`. */
                status?: "queued" | "running" | "cancelling" | "cancelled" | "completed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["Wave"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_wave: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WaveInput"];
            };
        };
        responses: {
            /** @description A job that turns many orders into shipments and batches. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wave"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_wave: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wave_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A job that turns many orders into shipments and batches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wave"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_wave: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                wave_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A job that turns many orders into shipments and batches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wave"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_wave_orders: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only orders of which this came: `exception` lists what needs a person. */
                result?: "pending" | "done" | "exception" | "cancelled";
            };
            header?: never;
            path: {
                wave_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["WaveOrder"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_wave_pick_lists: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                wave_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PickListsInput"];
            };
        };
        responses: {
            /** @description A file that belongs to a shipment, a batch or a manifest: a label, a customs paper, a packing slip, a list for the driver. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What was made or changed, in the order of the request. */
                        data: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retry_wave: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                wave_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A job that turns many orders into shipments and batches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wave"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_webhook_endpoints: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["WebhookEndpoint"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_webhook_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointInput"];
            };
        };
        responses: {
            /** @description An endpoint, and the secret that was just made for it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_webhook_endpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An address that the organisation's events are posted to, signed, at least once, in order while it succeeds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_webhook_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The body is empty. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_webhook_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the state that the change is meant for; 412 where it has changed since.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointPatch"];
                "application/merge-patch+json": components["schemas"]["WebhookEndpointPatch"];
            };
        };
        responses: {
            /** @description An address that the organisation's events are posted to, signed, at least once, in order while it succeeds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_webhook_deliveries: {
        parameters: {
            query?: {
                /** @description Entries on a page: 20 if you leave it out; more than 100 is taken as 100. The operator may have set other numbers. */
                limit?: number;
                /** @description Where to read on: the `next_cursor` or `previous_cursor` of an earlier answer to the same list with the same filters. Without it, the first page. */
                cursor?: string;
                /** @description Only deliveries that stand here, such as `failed` to find what never arrived. */
                status?: "pending" | "succeeded" | "retrying" | "failed";
            };
            header?: never;
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The entries of this page, newest first unless the operation says otherwise. */
                        data: components["schemas"]["WebhookDelivery"][];
                        /** @description Pass it as `cursor` for the page behind this one. Null at the end of the list. */
                        next_cursor: string | null;
                        /** @description Pass it as `cursor` for the page before this one. Null at the beginning. */
                        previous_cursor: string | null;
                        /** @description The page size that was applied, which may be less than what was asked for. */
                        limit: number;
                    };
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_webhook_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_endpoint_id: string;
                webhook_delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replay_webhook_delivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_endpoint_id: string;
                webhook_delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one endpoint. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replay_webhook_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookReplayInput"];
            };
        };
        responses: {
            /** @description What is being sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotate_webhook_secret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An endpoint, and the secret that was just made for it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_webhook_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: the first answer is kept for a day and given again. 1 to 255 printable characters; in double quotes it is the same key. */
                "Idempotency-Key"?: string;
            };
            path: {
                webhook_endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one endpoint. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description A refusal: its `code` says which. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
