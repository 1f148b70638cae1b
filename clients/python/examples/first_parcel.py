"""Ships a parcel in the test world and follows its events: a location, a shipment, its rates, the purchase, the label.

    pip install "dockside-client[realtime]"
    DOCKSIDE=http://127.0.0.1:8080 TOKEN=dk_test_… python first_parcel.py

`Dockside` has the same methods as `AsyncDockside`, without `await`.
"""

import asyncio
import contextlib
import os

from dockside import AsyncDockside, models
from dockside.realtime import follow_events

SENDER: models.AddressInput = {
    "address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"},
    "contact": {"name": "Dispatch"},
}
CUSTOMER: models.AddressRecordInput = {
    "address": {"line_1": "2 High Street", "city": "Leeds", "post_code": "LS1 4DY", "country_code": "GB"},
    "contact": {"name": "Ada Byron"},
}


async def ship(dockside: AsyncDockside) -> str:
    depot = (await dockside.create_location({"name": "Bristol depot", "address": SENDER})).data
    configuration = await dockside.create_location_configuration(
        {"name": "Bristol", "locations": {"origin": {"id": depot["id"]}, "return": {"id": depot["id"]}}}
    )
    shipment = await dockside.create_shipment(
        {
            "name": "Order 1042",
            "addresses": {"location_configuration_id": configuration.data["id"], "destination": CUSTOMER},
            "packages": [{"geometry": {"length": 30, "width": 20, "height": 10, "mass": 1.2}}],
        }
    )
    shipment_id = shipment.data["id"]
    cheapest = (await dockside.rate_shipment(shipment_id)).data["rates"][0]
    print(f"cheapest: {cheapest['carrier_service']['handle']} for {cheapest['rate']} {cheapest['currency_code']}")
    bought = await dockside.purchase_shipment(shipment_id, {"rate": cheapest["id"]})
    print(f"status: {bought.data['status']}")
    return shipment_id


async def show_label(dockside: AsyncDockside, shipment_id: str) -> None:
    label = (await dockside.list_shipment_documents(shipment_id)).data["data"][0]
    token = label["file_url"].rpartition("/")[2]
    async with dockside.get_file(token) as file:
        print(f"label: {len(await file.read())} bytes of {file.headers['content-type']}")


async def follow_purchase(dockside: AsyncDockside, has_begun: asyncio.Event) -> None:
    async def begin(channel: str) -> None:
        has_begun.set()

    async with contextlib.aclosing(follow_events(dockside, resources={"shipments"}, load=begin)) as events:
        async for event in events:
            print(f"event: {event['type']}")
            if event["type"] == "shipment.purchased":
                return


async def main() -> None:
    async with AsyncDockside(os.environ["DOCKSIDE"], os.environ["TOKEN"]) as dockside:
        # Events are switched on once for an organisation.
        await dockside.provision_events()
        has_begun = asyncio.Event()
        following = asyncio.create_task(follow_purchase(dockside, has_begun))
        await has_begun.wait()
        shipment_id = await ship(dockside)
        await following
        await show_label(dockside, shipment_id)
        async for location in dockside.iterate_locations(limit=100):
            print(f"location: {location['name']}")


asyncio.run(main())
