#!/usr/bin/env python3
"""Writes the seeds of the targets `pdf`, `png`, `http_head`, `form`, `ipp_answer`, `postal_row`, `websocket` and `words` into fuzz/seeds: small files of each kind, and the
hostile ones that were found here (crates/labels/src/merge/hostile.rs and slow.rs test what becomes of those)."""

import pathlib
import struct
import zlib

SEEDS = pathlib.Path(__file__).parent / "seeds"


def write(target, name, data):
    (SEEDS / target).mkdir(parents=True, exist_ok=True)
    (SEEDS / target / name).write_bytes(data)


def stream(entries, data):
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (entries, len(data), data)


def pdf(objects, trailer=None):
    """A file with these objects. Without a trailer the last of them is the cross-reference stream."""
    file, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = places[-1]
    if trailer is not None:
        start = len(file)
        rows = b"".join(b"%010d 00000 n \n" % place for place in places)
        file += b"xref\n0 %d\n0000000000 65535 f \n%strailer\n%s\n" % (len(objects) + 1, rows, trailer)
    return file + b"startxref\n%d\n%%%%EOF\n" % start


CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
PAGES = b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 288 432]>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
PAGE = b"<</Type/Page/Parent 2 0 R/Rotate 90/Resources<</Font<</F 5 0 R>>>>/Contents[4 0 R]>>"
DRAWING = stream(b"/Filter/FlateDecode", zlib.compress(b"BT /F 12 Tf (Dockside) Tj ET"))
TRAILER = b"<</Size 6/Root 1 0 R>>"
BOMB = zlib.compress(zlib.compress(bytes(64 << 20), 9), 9)


def in_object_stream():
    members = [CATALOG, PAGES, b"<</Type/Page/Parent 2 0 R>>"]
    places, body = [], b""
    for number, member in enumerate(members, 1):
        places.append(b"%d %d" % (number, len(body)))
        body += member + b" "
    head = b" ".join(places) + b" "
    objects = [stream(b"/Type/ObjStm/N 3/First %d/Filter/FlateDecode" % len(head), zlib.compress(head + body))]
    rows = bytes([0, 0, 0, 0]) + b"".join(bytes([2, 0, 4, index]) for index in range(3)) + bytes([1, 0, 9, 0])
    file = b"%PDF-1.7\n4 0 obj\n" + objects[0] + b"\nendobj\n"
    start = len(file)
    file += b"5 0 obj\n" + stream(b"/Type/XRef/Size 5/W[1 2 1]/Root 1 0 R", rows) + b"\nendobj\n"
    return file + b"startxref\n%d\n%%%%EOF\n" % start


def pdf_seeds():
    whole = [CATALOG, PAGES, PAGE, DRAWING, FONT]
    write("pdf", "table", pdf(whole, TRAILER))
    write("pdf", "searched", b"%PDF-1.4\n" + pdf(whole, TRAILER).replace(b"startxref", b"startxxxx"))
    write("pdf", "object_stream", in_object_stream())
    write("pdf", "no_pages", pdf([CATALOG, b"<</Type/Pages/Kids[]/Count 0>>"], TRAILER))
    structure = b"/Type/XRef/Size 9/W[1 2 1]/Root 1 0 R"
    write("pdf", "deflated_twice", pdf([stream(structure + b"/Filter[/FlateDecode/FlateDecode]", BOMB)]))
    columns = b"/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 2000000000/Colors 16/BitsPerComponent 16>>"
    write("pdf", "endless_columns", pdf([stream(structure + columns, zlib.compress(bytes(64)))]))
    write("pdf", "hidden_filter", pdf([stream(b"/W[1 2 1]/Filter[/ASCII#48exDecode/FlateDecode]", b"789c00>")]))
    deep = b"<</Type/Page/Group" * 80 + b" 1" + b">>" * 80
    write("pdf", "deep", pdf([CATALOG, PAGES, deep], TRAILER))
    loop = b"<</Type/Page/Parent 2 0 R/Group 4 0 R/Resources 5 0 R>>"
    write("pdf", "loops", pdf([CATALOG, PAGES, loop, b"<</A 4 0 R/B 5 0 R>>", b"<</Font<</F 4 0 R>>>>"], TRAILER))
    write("pdf", "own_parent", pdf([CATALOG, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"], TRAILER))
    for name, piece in [("open_texts", b"1 0 obj ("), ("open_dictionaries", b"<</A "), ("open_streams", b"1 0 obj<<>>stream\n")]:
        write("pdf", name, b"%PDF-1.7\n" + piece * 100)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, color, rows, *chunks, interlaced=0, density=8000):
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    parts = [chunk(b"IHDR", head), chunk(b"pHYs", struct.pack(">IIB", density, density, 1)), *chunks]
    parts += [chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def png_seeds():
    palette, clear = chunk(b"PLTE", bytes([0, 0, 0, 255, 255, 255])), chunk(b"tRNS", bytes([255, 0]))
    write("png", "grey", png(4, 4, 8, 0, b"\x00\x00\x40\x80\xff" * 4))
    write("png", "black_and_white", png(16, 2, 1, 0, b"\x00\xaa\x55" * 2))
    write("png", "palette", png(8, 2, 1, 3, b"\x00\xf0" * 2, palette, clear))
    write("png", "colour", png(2, 2, 8, 2, b"\x01" + bytes(6) + b"\x02" + bytes(6)))
    write("png", "transparent", png(2, 2, 16, 6, (b"\x04" + bytes(16)) * 2))
    write("png", "interlaced", png(2, 2, 8, 4, b"\x00\x10\xff\x00\x20\xff\x00\x30\xff\x40\xff", interlaced=1))
    write("png", "mile_wide", png(100, 1, 8, 0, bytes(101), density=1))
    write("png", "endless", png(60000, 60000, 8, 6, bytes(9)))
    write("png", "gif", b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00;")


def gif(size, flags, codes, *parts, screen=None):
    """A picture in black and white, whose codes are packed into bytes already."""
    head = b"GIF89a" + struct.pack("<HH", *(screen or size)) + bytes([0x80, 0, 0, 0, 0, 0, 255, 255, 255])
    picture = b"," + struct.pack("<HHHH", 0, 0, *size) + bytes([flags, 2, len(codes)]) + codes + b"\0"
    return head + b"".join(parts) + picture + b";"


def gif_seeds():
    tutorial = "8c2d99872a1cdc33a00275ec95faa8de608c04914c01"
    colours = bytes.fromhex("47494638396120000a00910000ffffffff00000000ff00000021f9040000000000")
    picture = b"," + struct.pack("<HHHH", 0, 0, 10, 10) + b"\0\x02\x16" + bytes.fromhex(tutorial) + b"\0;"
    write("gif", "colours", colours[:6] + struct.pack("<HH", 10, 10) + colours[10:] + picture)
    # Clear, 1, 0, 1, 0, end: codes of three bits.
    codes = bytes([0b00001100, 0b10000010, 0b00001010])
    write("gif", "black_and_white", gif((2, 2), 0, codes))
    write("gif", "interlaced", gif((1, 4), 0x40, codes))
    write("gif", "transparent", gif((2, 2), 0, codes, b"!\xf9\x04\x01\0\0\0\0"))
    write("gif", "comment", gif((2, 2), 0, codes, b"!\xfe\x03abc\0"))
    write("gif", "part", gif((2, 2), 0, codes, screen=(4, 3)))
    write("gif", "endless", gif((6000, 6000), 0, bytes(255)))
    twice = gif((2, 2), 0, codes)
    write("gif", "several", twice[:-1] + twice[19:])


def http_seeds():
    """The first byte says in how large pieces the rest arrives."""
    host = b"Host: a\r\n"
    write("http_head", "get", b"\x03GET /locations?limit=2 HTTP/1.1\r\n" + host + b"\r\n")
    write("http_head", "length", b"\x07POST /orders HTTP/1.1\r\n" + host + b"Content-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n" + host + b"\r\n")
    chunked = b"Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nTrailer: a\r\n\r\n"
    write("http_head", "chunked", b"\x01PATCH /a HTTP/1.1\r\n" + host + chunked)
    both = b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    write("http_head", "both_framings", b"\x05POST /a HTTP/1.1\r\n" + host + both)
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05"
    write("http_head", "websocket", b"\x02GET /a HTTP/1.1\r\n" + host + upgrade)
    write("http_head", "bare_line_ends", b"\x04GET / HTTP/1.1\n" + b"Host: a\n\n")


def text_seeds():
    write("form", "list", b"tags%5B0%5D=a&tags[]=b,c&limit=2")
    write("form", "token", b"grant_type=client_credentials&client_id=tok_1&client_secret=a%2Bb&scope=orders:read+events:read")
    write("form", "odd", b"&&a&=b&c==d&%C3%A4=%E2%82%AC&%zz=%f")
    every = b"limit=5&cursor=abc&tags[0]=a&tags%5B1%5D=b&locations=loc_00000000000000000000000001&number=-3&from=2026-11-01T09:00:00Z"
    write("form", "every_kind", every + b"&include=a,b&flag=true")
    write("form", "repeated", b"limit=1&limit=2&number=9&flag=yes&tgas=a&tags=" + b"a," * 60)
    row = "GB\tBS1\tBristol\tEngland\tENG\t\t\t\t\t{}\t{}\t4\r\n"
    bristol = row.format("51.45", "-2.59") + row.format("51.46", "-2.58")
    write("postal_row", "bristol", bristol.encode())
    fiji = "FJ\t\u00a0x\t\t\t\t\t\t\t\t-17\t{}\n"
    write("postal_row", "date_line", (fiji.format("179.9") + fiji.format("-179.9") + fiji.format("1e2")).encode())
    write("postal_row", "odd", b"UK\tBS3\t\t\t\t\t\t\t\t51\t-2\nUS\t \nCA\t\xc3\x9f-1\t\t\t\t\t\t\t\tNaN\tinf\n")


def frame(first, payload, mask=b"\x01\x02\x03\x04", length=None):
    size = length or (bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + struct.pack(">H", len(payload)))
    return bytes([first]) + size + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))


def websocket_seeds():
    """The first byte says in how large pieces the rest arrives, and if it is odd that the rest is a payload."""
    text = frame(0x81, b'{"connect":{}}')
    write("websocket", "messages", b"\x02" + text + frame(0x82, bytes(200)) + frame(0x88, b"\x03\xe8bye"))
    fragments = frame(0x01, "Zürich".encode()[:2]) + frame(0x89, b"ping") + frame(0x80, "Zürich".encode()[2:])
    write("websocket", "fragments", b"\x06" + fragments + frame(0x8A, b""))
    write("websocket", "not_text", b"\x04" + frame(0x81, b"\xff"))
    write("websocket", "not_masked", b"\x08\x81\x02{}")
    write("websocket", "endless", b"\x0a" + frame(0x82, b"", length=b"\xff" + b"\x7f" + b"\xff" * 7))
    write("websocket", "long_ping", b"\x0c" + frame(0x89, bytes(126)))
    write("websocket", "payload", b"\x0b" + bytes(130))
    write("websocket", "reason", b"\x03" + "going away, Grüße".encode())


def word_seeds():
    owner, user = "org_00000000000000000000000001", "usr_00000000000000000000000002"
    head = b"\x02\x00\x00\x00\x00\x00\x00\x01"
    charset = b"\x01\x47\x00\x12attributes-charset\x00\x05utf-8"
    job = b"\x02\x21\x00\x06job-id\x00\x04\x00\x00\x00\x07\x23\x00\x09job-state\x00\x04\x00\x00\x00\x09"
    formats = b"\x04\x49\x00\x19document-format-supported\x00\x0fapplication/pdf\x49\x00\x00\x00\x09image/png"
    collection = b"\x34\x00\x01c\x00\x00\x4a\x00\x00\x00\x01m\x21\x00\x00\x00\x04\x00\x00\x00\x05\x37\x00\x00\x00\x00"
    refusal = b"\x02\x00\x04\x0a\x00\x00\x00\x01\x01\x41\x00\x0estatus-message\x00\x02No\x03"
    write("ipp_answer", "job", head + charset + job + b"\x03")
    write("ipp_answer", "printer", head + charset + formats + collection + b"\x03")
    write("ipp_answer", "refusal", refusal)
    words = {
        "id": "loc_01jc0000000000000000000000",
        "owner": owner + "_test",
        "moment": "2026-11-01T12:30:00.5+02:00",
        "http_date": "Sun, 01 Nov 2026 09:02:00 GMT",
        "day": "2026-11-15",
        "duration": "1h 30m",
        "scope": "locations:read",
        "amount": "-6.075",
        "post_code": "bs1 4dj",
        "province": "california",
        "channel": f"orders:{owner}#{user}",
        "client": "4bf92f35-77b3-4da6-a3ce-929d0e0e4736",
        "token": "dk_live_" + "0" * 50,
        "jwt": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhIn0.AAAA",
        "cursor": "AAAAAAAAAAAAAAAAAAAAADxsb2NfMQ",
    }
    for name, word in words.items():
        write("words", name, word.encode())


def shop_seeds():
    """An answer to a task: the first three bytes choose the task, the status and the shop. A webhook: the first byte is the shop."""
    line = '{"id":4,"sku":"A","quantity":3,"total":"10.00","product_id":7}'
    order = '{"id":13,"status":"processing","currency":"GBP","date_modified_gmt":"2026-11-16T03:26:37","line_items":[' + line + "]}"
    write("shop_answers", "poll", b"\x01\x00\x00[" + order.encode() + b"]")
    write("shop_answers", "fetch", b"\x02\x00\x00" + order.encode())
    notes = b'[{"id":10,"note":"Tracking number: SB123GB."}]'
    write("shop_answers", "note", b"\x03\x00\x00" + order.encode() + b"\xff" + notes + b"\xff{}")
    found = '{"data":{"order":{"id":"gid://shopify/Order/13","fulfillments":[{"id":"f","trackingInfo":[{"number":"SB123GB"}]}]}}}'
    lines = '{"data":{"fulfillment":{"fulfillmentLineItems":{"nodes":[{"quantity":1,"lineItem":{"id":"gid://shopify/LineItem/1"}}]}}}}'
    write("shop_answers", "fulfilments", b"\x03\x00\x01" + found.encode() + b"\xff" + lines.encode())
    write("shop_answers", "throttled", b'\x00\x00\x01{"errors":[{"extensions":{"code":"THROTTLED"}}]}')
    write("shop_answers", "medusa", b'\x01\x00\x02{"orders":[{"id":"order_1","updated_at":"2026-11-16T03:26:37Z","items":[]}],"count":9}')
    write("shop_webhook", "ping", b"\x00webhook_id=1")
    write("shop_webhook", "woocommerce", b"\x00" + order.encode())
    whole = '{"id":13,"financial_status":"paid","updated_at":"2026-11-16T04:26:37+01:00","currency":"GBP","line_items":['
    write("shop_webhook", "shopify", b"\x01" + whole.encode() + b'{"id":1,"quantity":2,"price":"1.50","tax_lines":[{"price":"0.1"}]}]}')
    write("shop_webhook", "medusa", b'\x02{"name":"order.placed","data":{"id":"order_1"}}')


pdf_seeds()
gif_seeds()
png_seeds()
websocket_seeds()
word_seeds()
http_seeds()
text_seeds()
shop_seeds()
