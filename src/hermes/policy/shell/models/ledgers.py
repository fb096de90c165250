"""Wallets and contracts: what is sent or deployed on a chain, nobody takes back."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program

_OWN_CHAINS = (
    "localhost",
    "hardhat",
    "development",
    "develop",
    "anvil",
    "ganache",
    "test",
    "local",
)


def _network(call: Call) -> Iterator[Effect]:
    """Yield a danger where scripts or deployments go to a chain that others share."""
    network = call.value("--network")
    if network and not network.startswith(_OWN_CHAINS) and "test" not in call.operands[:1]:
        yield danger("publish", f"acts on the chain {network}, where nothing is taken back")


PROGRAMS = {
    "hardhat|truffle|brownie|ape": Program(
        values="--network --config --tsconfig --gas --from", handler=_network
    ),
    "forge": Program(values="--rpc-url -r --fork-url -f --sig -s --match-test --match-contract"),
    "cast": Program(values="--rpc-url -r --from --value --private-key --chain --gas-limit"),
    "solana|spl-token": Program(values="-u --url -k --keypair --from --fee-payer --owner"),
}

RULES = """
forge script --broadcast|--resume => publish: sends what the script does to a chain
forge create !--dry-run => publish: deploys a contract: {}
cast send|publish|mktx => publish: sends a transaction: {}
cast wallet import|new|decrypt-keystore|private-key => exfiltration: handles private keys
cast ... --private-key !call|estimate|block|balance => exfiltration: shows a private key to others
solana transfer|pay|withdraw-* => publish: sends money: {}
solana program deploy|upgrade|close|write-buffer|set-upgrade-authority => publish: deploys {}
spl-token transfer|mint|burn|approve|close|authorize|wrap|unwrap => publish: sends money: {}
anchor deploy|upgrade|migrate => publish: deploys a contract
near|near-cli send|deploy|call|delete|delete-account|create-account => publish: changes a chain
bitcoin-cli|litecoin-cli|dogecoin-cli send*|dumpprivkey|dumpwallet|importprivkey|sweep* \
    => publish: moves money or keys: {}
lncli|lightning-cli payinvoice|pay|sendpayment|sendcoins|closechannel|withdraw \
    => publish: sends money
geth|bitcoind|monero-wallet-cli account|dumpprivkey|transfer|sweep_all \
    => publish: moves money or keys
"""
