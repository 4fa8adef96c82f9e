#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`scoria doctor` on machines made of files, in TAP: faults P12, P13 and what is like them.

Each case is a board on which all is well, but for one thing.
"""
import json
import os
import sys

from cli import ends, expect, main, refused, run
from fake_root import CORES, DEVICES, DRIVERS, RELEASE, TREE, as_nobody, fake_board


def remove_cores(root):
    for core, iommu in CORES:
        root.remove(f"{TREE}/npu@{core}")
        root.remove(f"{TREE}/iommu@{iommu}")
    unbind_all(root)


def unbind_all(root):
    for number in range(len(CORES)):
        root.unbind(number, "scoria")


def unload(root):
    unbind_all(root)
    root.remove(f"{DRIVERS}/scoria")
    root.remove("dev/accel")


def no_tree(root):
    root.remove("proc/device-tree")
    unload(root)


def other_chip(root):
    remove_cores(root)
    root.write(f"{TREE}/compatible", "pine64,rockpro64\0rockchip,rk3399\0")


def old_kernel(root):
    root.write("proc/sys/kernel/osrelease", "6.1.75-vendor-rk35xx\n")


def no_accel(root):
    unload(root)
    root.remove("sys/class/accel")
    root.write(f"boot/config-{RELEASE}", "CONFIG_DRM=m\n# CONFIG_DRM_ACCEL is not set\n")


def no_nodes_no_symbols(root):
    remove_cores(root)
    root.remove(f"{TREE}/__symbols__")


def disabled(root):
    unbind_all(root)
    for number in range(len(CORES)):
        root.core(number, "disabled")


def disabled_no_symbols(root):
    disabled(root)
    root.remove(f"{TREE}/__symbols__")


def vendor_tree(root):
    remove_cores(root)
    root.write(f"{TREE}/npu@fdab0000/compatible", "rockchip,rk3588-rknpu\0")


def iommu_disabled(root):
    root.write(f"{TREE}/iommu@fdaca000/status", "disabled\0")


def iommu_missing(root):
    root.remove(f"{TREE}/npu@fdab0000/iommus")


def no_iommu_driver(root):
    root.remove(f"{DRIVERS}/rk_iommu")


def vendor_driver(root):
    unbind_all(root)
    root.bind(0, "RKNPU")


def strange_driver(root):
    root.unbind(2, "scoria")
    root.bind(2, "vfio-platform")


def not_loaded(root):
    unload(root)
    root.write(f"lib/modules/{RELEASE}/modules.dep", "updates/dkms/scoria.ko.xz: kernel/drm.ko\n")


def other_kernel(root):
    unload(root)
    root.write(f"lib/modules/{RELEASE}/modules.dep", "kernel/drm.ko:\n")
    root.write("lib/modules/6.12.9-arm64/modules.dep", "updates/dkms/scoria.ko:\n")


def rocket_not_loaded(root):
    unload(root)
    root.write(f"lib/modules/{RELEASE}/modules.dep", "kernel/drivers/accel/rocket/rocket.ko:\n")


def blacklisted(root):
    not_loaded(root)
    root.write("etc/modprobe.d/npu.conf", "# blacklist rocket\nblacklist scoria\n")


def blacklisted_rocket(root):
    rocket_not_loaded(root)
    root.write("proc/cmdline", "quiet module_blacklist=rocket\n")


def secure_boot(root):
    not_loaded(root)
    root.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")


def deferred(root):
    unbind_all(root)
    for core, _ in CORES:
        root.directory(f"{DEVICES}/{core}.npu")
    root.write("sys/kernel/debug/devices_deferred",
               "fdab0000.npu\tplatform: supplier regulator-vdd-npu not ready\n"
               "fdac0000.npu\tplatform: supplier regulator-vdd-npu not ready\n")


def waiting(root):
    unbind_all(root)
    for core, _ in CORES:
        root.write(f"{DEVICES}/{core}.npu/waiting_for_supplier", "1\n")


def not_bound(root):
    unbind_all(root)
    for core, _ in CORES:
        root.directory(f"{DEVICES}/{core}.npu")


def no_device(root):
    unbind_all(root)
    for core, _ in CORES:
        (root.path / f"{DEVICES}/{core}.npu").rmdir()


def no_node(root):
    root.remove("dev/accel")


def little_memory(root):
    root.write("proc/meminfo", "MemAvailable:      40000 kB\n")


# what is wrong, the check that says so, words of what it found, words of the fix
CASES = [
    (no_tree, "board", "no device tree", "--device model"),
    (other_chip, "board", "rockchip,rk3399", "--device model"),
    (old_kernel, "kernel", "6.1.75-vendor-rk35xx", "trixie-backports"),
    (no_accel, "accel", "CONFIG_DRM_ACCEL is off", "trixie-backports"),
    (remove_cores, "nodes", "no node npu@", "overlays/rk3588-npu.dtso"),
    (no_nodes_no_symbols, "nodes", "no node npu@", "no __symbols__, so that no overlay can be "
     "applied to it: tools/devicetree/add-npu BOARD.dtb NEW.dtb"),
    (disabled, "nodes", "/npu@fdac0000, ", "overlays/rk3588-npu-enable.dtso"),
    (disabled_no_symbols, "nodes", "/npu@fdac0000, ", "tools/devicetree/add-npu"),
    (vendor_tree, "nodes", "/npu@fdab0000", "mainline"),
    (iommu_disabled, "iommus", "/npu@fdac0000 has an IOMMU that is disabled", "enable.dtso"),
    (iommu_missing, "iommus", "/npu@fdab0000 has no IOMMU", "overlay"),
    (no_iommu_driver, "iommu-driver", "rk_iommu", "CONFIG_ROCKCHIP_IOMMU"),
    (vendor_driver, "other-drivers", "fdab0000.npu is bound to RKNPU",
     "echo fdab0000.npu > /sys/bus/platform/drivers/RKNPU/unbind"),
    (strange_driver, "other-drivers", "fdad0000.npu is bound to vfio-platform", "/unbind"),
    (unload, "module", "no scoria.ko is installed", "make modules"),
    (not_loaded, "module", "installed, but not loaded", "modprobe scoria"),
    (other_kernel, "module", "built for 6.12.9-arm64, not for 6.18.3-arm64", "dkms autoinstall"),
    (rocket_not_loaded, "module", "neither scoria nor rocket", "modprobe rocket"),
    (blacklisted, "module", "/etc/modprobe.d/npu.conf keeps it away", "modprobe scoria"),
    (blacklisted_rocket, "module", "command line keeps rocket away", "modprobe rocket"),
    (secure_boot, "module", "not loaded", "signed modules"),
    (deferred, "binding", "fdab0000.npu: deferred, platform: supplier regulator-vdd-npu",
     "regulator"),
    (waiting, "binding", "fdad0000.npu: waits", "power domain"),
    (not_bound, "binding", "fdab0000.npu: no driver took it", "dmesg"),
    (no_device, "binding", "made no device", "dmesg"),
    (no_node, "node", "no /dev/accel/accel0", "--device /dev/accel/accel0"),
    (little_memory, "memory", "39 MiB", "swap"),
]


def examine(root, status, **options):
    out = ends(status, "doctor", "--root", root.path, "--json", **options)
    report = json.loads(out)
    return report, {check["name"]: check for check in report["checks"]}


def expect_case(root, name, found, fix, **options):
    report, checks = examine(root, 1, **options)
    check = checks[name]
    expect(report["begin_with"] == name, f"it says to begin with {report['begin_with']}: {checks}")
    expect(check["verdict"] == "BAD" and found in check["found"] and fix in check["fix"], check)
    bad = [other for other in checks if checks[other]["verdict"] == "BAD"]
    expect(bad == [name], f"what follows from {name} is bad for itself: {bad}")


def test_nothing_is_found_on_a_good_board():
    with fake_board() as root:
        report, checks = examine(root, 0)
        expect(report["jobs_can_run"] and report["begin_with"] is None, report)
        expect(all(check["verdict"] == "ok" for name, check in checks.items()
                   if name not in ("driver", "job")), checks)
        out = ends(0, "doctor", "--root", root.path)
        expect(out.endswith("doctor: jobs can run\n"), out)


def test_each_fault_is_found_alone_with_its_fix():
    for fault, name, found, fix in CASES:
        with fake_board() as root:
            fault(root)
            try:
                expect_case(root, name, found, fix)
            except Exception as error:
                raise type(error)(f"{fault.__name__}: {error}") from error


def test_text_names_place_and_fix():
    with fake_board() as root:
        disabled(root)
        out = ends(1, "doctor", "--root", root.path)
        for words in ("nodes         BAD", "looked at: /proc/device-tree/npu@*",
                      "fix: apply Documentation/devicetree/overlays/rk3588-npu-enable.dtso",
                      "binding       skipped see nodes", "begin with: nodes\n"):
            expect(words in out, f"no {words!r} in {out}")


def test_nodes_may_lie_in_a_bus():
    with fake_board() as root:
        remove_cores(root)
        for number in range(len(CORES)):
            root.core(number, bus=f"{TREE}/soc")
            root.bind(number, "scoria")
        examine(root, 0)


def test_fewer_cores_are_noted_and_no_fault():
    with fake_board() as root:
        root.core(2, "disabled")
        root.unbind(2, "scoria")
        _, checks = examine(root, 0)
        expect(checks["nodes"]["verdict"] == "note", checks["nodes"])
        expect("/npu@fdad0000 disabled, 2 of 3" in checks["nodes"]["found"], checks["nodes"])
        expect(checks["binding"]["found"] == "all 2 cores have their driver", checks["binding"])


def test_core_that_failed_is_noted_and_no_fault():
    with fake_board() as root:
        root.unbind(1, "scoria")
        root.directory(f"{DEVICES}/fdac0000.npu")
        _, checks = examine(root, 0)
        expect(checks["binding"]["verdict"] == "note", checks["binding"])
        expect("fdac0000.npu: no driver took it" in checks["binding"]["found"], checks)


def test_rocket_is_noted_with_how_to_unbind_it():
    with fake_board() as root:
        unload(root)
        for number in range(len(CORES)):
            root.bind(number, "rocket")
        root.write("dev/accel/accel0")
        _, checks = examine(root, 0)
        expect(checks["other-drivers"]["verdict"] == "note", checks)
        expect("echo fdac0000.npu > /sys/bus/platform/drivers/rocket/unbind" in
               checks["other-drivers"]["fix"], checks)
        expect(checks["module"]["verdict"] == "note", checks)


def test_container_with_nothing_but_the_node_is_no_fault():        # P14
    with fake_board() as root:
        for name in ("proc/device-tree", "sys"):
            root.remove(name)
        _, checks = examine(root, 0)
        for name in ("board", "nodes", "iommus", "module", "binding"):
            expect(checks[name]["verdict"] == "unknown", checks[name])
        expect(checks["node"]["verdict"] == "ok", checks["node"])


def test_node_of_a_group_is_said_to_be_so():
    if os.getuid():
        return
    for mode, gid, words, fix in ((0o660, 105, "by group 105", "usermod -a -G render"),
                                  (0o600, 0, "by root only", "udev")):
        with fake_board() as root:
            node = root.path / "dev/accel/accel0"
            node.chmod(mode)
            os.chown(node, 0, gid)
            expect_case(root, "node", words, fix, **as_nobody(root))


def test_job_decides_where_one_can_be_run():
    out = json.loads(ends(0, "doctor", "--device", "model", "--json"))
    expect(out["jobs_can_run"], out)
    job = out["checks"][-1]
    expect(job["name"] == "job" and "is right" in job["found"], job)


def test_without_an_npu_the_status_is_1():
    if os.path.exists("/dev/accel/accel0"):
        return
    out = run("doctor")
    expect(out.returncode == 1 and "doctor: jobs cannot run; begin with: " in out.stdout, out)
    expect("job           BAD" not in out.stdout, out)


def test_bad_use_is_refused():
    refused("there is no directory /nowhere", "doctor", "--root", "/nowhere")
    refused("no option", "doctor", "--rot", "/")
    refused("--device", "doctor", "--device", "gpu")


if __name__ == "__main__":
    sys.exit(main(globals()))
