"""Everything in deploy/, with a program that is there already: packages are built, judged, installed and started; the dashboard, the alerts, the
chart and compose.yaml are compared with the program.

    check.py BINARY WORK
"""

import pathlib
import sys

import chart
import checks
import compose
import debian
import image
import monitoring


def main():
    binary, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    told = []
    for part in (monitoring, chart, compose, image, debian):
        folder = work / part.__name__
        folder.mkdir()
        told.append(part.check(binary, folder))
    print(f"packages: {checks.passed} checks; {'; '.join(told)}")


if __name__ == "__main__":
    main()
