from hermes.services.machine.limits import Limits, read

UNLIMITED_V1 = "9223372036854771712"


def machine(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


def test_a_machine_without_control_groups_has_no_limits(tmp_path):
    assert read(tmp_path) == Limits(None, None, None)


def test_version_2_takes_the_tightest_limit_on_the_way_up(tmp_path):
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": "0::/pod/box",
            "sys/fs/cgroup/pod/memory.max": "536870912",
            "sys/fs/cgroup/pod/memory.current": "1000",
            "sys/fs/cgroup/pod/cpu.max": "200000 100000",
            "sys/fs/cgroup/pod/box/memory.max": "max",
            "sys/fs/cgroup/pod/box/cpu.max": "max 100000",
        },
    )
    assert read(root) == Limits(536870912, 1000, 2.0)


def test_version_2_inside_a_container_sees_its_limits_at_the_top(tmp_path):
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": "0::/../../elsewhere",
            "sys/fs/cgroup/memory.max": "1000000",
            "sys/fs/cgroup/cpu.max": "50000 100000",
        },
    )
    assert read(root) == Limits(1_000_000, None, 0.5)


def test_version_1_reads_each_controllers_own_tree(tmp_path):
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": "9:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab\n1:name=systemd:/",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "67108864",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": "5",
            "sys/fs/cgroup/cpu/docker/ab/cpu.cfs_quota_us": "150000",
            "sys/fs/cgroup/cpu/docker/ab/cpu.cfs_period_us": "100000",
        },
    )
    assert read(root) == Limits(67108864, 5, 1.5)


def test_version_1_without_limits_says_none(tmp_path):
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": "9:memory:/\n4:cpu:/",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": UNLIMITED_V1,
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
        },
    )
    assert read(root) == Limits(None, None, None)


def test_nonsense_in_the_files_is_no_limit(tmp_path):
    root = machine(
        tmp_path,
        {
            "proc/self/cgroup": "nonsense\n0::/",
            "sys/fs/cgroup/memory.max": "much",
            "sys/fs/cgroup/cpu.max": "100 0",
        },
    )
    assert read(root) == Limits(None, None, None)
