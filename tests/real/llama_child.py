"""Run llama.cpp's own server on a port of its choice until standard input ends; print its address.

In a process of its own: its threads outlive what Python can end.
"""

import os
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 2048
params.cpuparams.n_threads = 1
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
