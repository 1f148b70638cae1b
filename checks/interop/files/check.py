"""Files in a bucket: the suite's tests against a server that speaks S3 and checks every signature, what a start says of a
wrong setting, and what is in the bucket afterwards."""

import json
import os
import pathlib
import re
import subprocess
import sys

import boto3
from program import PATIENCE, Process, Server, fail, free_port

tools, binary, work, *tests = sys.argv[1:]
work = pathlib.Path(work)
BUCKET = "dockside"
REGION = "us-east-1"
# What is asked for below before signatures are checked: a user, its key, its policy, the bucket.
UNCHECKED = 4


def start_store():
    """A store with one bucket, and a user who may read and write there. Gives its address and the user's key."""
    port = free_port()
    # No setting of the caller's for the real thing may be used.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "MOTO_"))}
    environment["INITIAL_NO_AUTH_ACTION_COUNT"] = str(UNCHECKED)
    command = [f"{tools}/bin/moto_server", "-H", "127.0.0.1", "-p", str(port)]
    process = Process(command, cwd=work, env=environment)
    process.wait_for("the store listens", re.compile(r"Running on").search)
    address = f"http://127.0.0.1:{port}"
    anybody = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
    iam, s3 = (client(name, address, anybody) for name in ("iam", "s3"))
    iam.create_user(UserName="dockside")
    key = iam.create_access_key(UserName="dockside")["AccessKey"]
    # No permission to list: the program must do without.
    allowed = {"Effect": "Allow", "Action": ["s3:PutObject", "s3:GetObject"], "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    iam.put_user_policy(UserName="dockside", PolicyName="files", PolicyDocument=policy)
    s3.create_bucket(Bucket=BUCKET)
    return process, address, key


def client(name, address, key):
    return boto3.client(name, endpoint_url=address, region_name=REGION, **key)


def settings(address, key, bucket=BUCKET, secret=None):
    secret_file = work / "secret"
    secret_file.write_text((secret or key["SecretAccessKey"]) + "\n")
    return [
        "--data", str(work / "data"),
        "--files", f"s3://{bucket}/program",
        "--files-endpoint", address,
        "--files-key-id", key["AccessKeyId"],
        "--files-secret-file", str(secret_file),
    ]  # fmt: skip


def refuses(what, arguments, words, key):
    """A start that must fail, and say these words."""
    command = [binary, "serve", "--listen", "127.0.0.1:0", *arguments]
    ended = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=PATIENCE, check=False)
    said = ended.stdout + ended.stderr
    print(f"{what}: {ended.stderr.strip()}")
    if ended.returncode == 0 or "panicked" in said or key["SecretAccessKey"] in said:
        fail(f"{what}: it ended with {ended.returncode} and said {said!r}")
    for word in words:
        if word not in said:
            fail(f"{what}: {word!r} is not in {said!r}")


def main():
    store, address, key = start_store()
    known = {"TEST_S3": address, "TEST_S3_KEY_ID": key["AccessKeyId"], "TEST_S3_SECRET": key["SecretAccessKey"]}
    # The tests that are about folders have nothing to look into.
    suite = subprocess.run([*tests, "--skip", "files::a_folder"], env={**os.environ, **known}, check=False)
    if suite.returncode != 0:
        fail("the suite's tests failed")

    server = Server(binary, settings(address, key), work)
    server.stop()
    missing = ["the bucket missing-bucket", address, "does not exist"]
    refuses("a bucket that is not there", settings(address, key, bucket="missing-bucket"), missing, key)
    wrong = ["the bucket dockside", "key and the secret"]
    refuses("a wrong secret", settings(address, key, secret="no"), wrong, key)
    nobody = f"http://127.0.0.1:{free_port()}"
    refuses("a store that is not there", settings(nobody, key), ["the setting files", nobody], key)

    store.stop()
    # What it was asked is in its log, one line each.
    puts = {line.split()[6] for line in store.lines if '"PUT ' in line and ' 200 ' in line}
    files = [path for path in puts if re.fullmatch(rf"/{BUCKET}/worlds/[^/]+/org_[0-9a-z_]+/doc_[0-9a-z]{{26}}", path)]
    if len(files) < 10 or f"/{BUCKET}/program/written-at-start" not in puts:
        fail(f"these objects were written: {sorted(puts)}")
    print(f"files in a bucket: {len(files)} objects, 4 starts")


main()
