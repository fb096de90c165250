from hermes.mcp.server_log import LARGEST, ServerLog


def test_what_a_server_says_is_kept_without_the_secrets_it_was_given(tmp_path):
    log = ServerLog(tmp_path / "logs/s.log", ["s3cret-value"])
    log.write(b"starting with s3cret-value\n\n")
    log.write(b"ready\n")
    log.close()
    assert log.file.read_text() == "starting with ***\n\nready\n"
    assert log.file.stat().st_mode & 0o077 == 0
    assert log.last_words == "starting with *** | ready"


def test_a_log_does_not_grow_without_end(tmp_path):
    log = ServerLog(tmp_path / "s.log")
    for _ in range(5):
        log.write(b"x" * (LARGEST // 2) + b"\n")
    log.close()
    assert log.file.stat().st_size <= 2 * LARGEST
    assert (tmp_path / "s.log.1").exists()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_disk_that_refuses_costs_only_the_lines(tmp_path):
    (tmp_path / "file").write_text("")
    log = ServerLog(tmp_path / "file" / "s.log")
    log.write(b"lost\n")
    assert log.last_words == "lost"
