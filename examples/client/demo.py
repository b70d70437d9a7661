"""Plan, wait, answer from a second process, claim, complete, die and resume.

    python3 demo.py policyctl serve --stdio --policy demo.hcl --store gate.db --log none

Runs the command given twice: as the kernel and as the frontend of a human. The
store must be new.
"""

import sys
import threading

from plangate import Gate, GateError


def answer(argv):
    """Answer what waits, as a frontend in a process of its own would."""
    with Gate(argv) as frontend:
        for item in sorted(frontend.pending()["items"], key=lambda item: item["index"]):
            decision = "deny" if item["call"]["id"] == "c3" else "allow"
            message = "Use the read-only copy." if decision == "deny" else ""
            verdict = {"decision": decision, "actor": "ada", "digest": item["digest"], "message": message}
            frontend.resolve(item=item["id"], verdict=verdict)
            print(f"human: {decision} {item['call']['id']}")


def run(gate, item):
    """Run one item: nothing runs without a claim, and only what the claim says."""
    call = gate.claim(session="demo", item=item["id"])["item"]["call"]
    gate.complete(session="demo", item=item["id"], result={"output": f"{call['operation']} done"})
    print(f"ran {call['id']}")


def main(argv):
    gate = Gate(argv)
    assert gate.hello(protocol=1)["protocol"] == 1
    gate.open(session="demo")
    plan = gate.plan(session="demo", turn="t1", calls=[
        {"id": "c1", "provider": "db", "operation": "update", "input": {"row": 1}},
        {"id": "c2", "provider": "fs", "operation": "write_file", "input": {"path": "a.txt"}},
        {"id": "c3", "provider": "fs", "operation": "write_file", "input": {"path": "b.txt"}},
        {"id": "c4", "provider": "db", "operation": "update", "input": {"row": 2}},
    ])
    items = plan["items"]
    print("planned", *(f"{item['call']['id']}={item['state']}" for item in items))

    run(gate, items[0])  # it does not wait for its siblings
    human = threading.Thread(target=answer, args=[argv])
    human.start()
    waiting = {item["id"] for item in items if item["state"] == "waiting"}
    while waiting:
        for item in gate.wait(session="demo")["items"]:
            waiting.discard(item["id"])
            if item["state"] == "ready":
                run(gate, item)
    human.join()
    try:
        gate.claim(session="demo", item=items[2]["id"])
    except GateError as err:
        print(f"c3 cannot run: {err.code}, it is {err.data['state']}")

    gate.claim(session="demo", item=items[3]["id"])
    gate.kill()  # while c4 runs

    with Gate(argv) as gate:
        gate.open(session="demo")
        left = gate.resume(session="demo")
        print("left", *(f"{state}={len(left[state])}" for state in sorted(left)))
        for result in gate.outcomes(session="demo", turn="t1")["results"]:
            print(f"{result['call_id']} {result['kind']}: {result['result'].get('output') or result['text'].splitlines()[0]}")


if __name__ == "__main__":
    main(sys.argv[1:])
