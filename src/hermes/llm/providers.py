"""Who can be asked for an answer: address, protocol, key and usual port of each provider."""

from __future__ import annotations

from typing import NamedTuple


class Provider(NamedTuple):
    """A service, or a server of one's own."""

    name: str
    about: str
    protocol: str
    """One of chat, responses, anthropic, gemini."""
    url: str
    key_variables: tuple[str, ...] = ()
    """Where its key may be found, the first that is set."""
    model: str = ""
    """The model that is asked when none is named; empty for the first that a server lists."""
    url_variable: str = ""
    """What its own tools read to find it elsewhere."""
    port: int = 0
    """Where it usually listens on this machine; 0 for a service elsewhere."""
    quirks: frozenset[str] = frozenset()
    is_sought: bool = True
    """Whether its key alone means that it is to be used."""

    @property
    def is_local(self) -> bool:
        """Say whether it runs on a machine of one's own, and costs nothing."""
        return self.port > 0


def _service(
    name: str, about: str, url: str, variable: str, model: str = "", *quirks: str
) -> Provider:
    return Provider(name, about, "chat", url, (variable,), model, quirks=frozenset(quirks))


def _server(name: str, about: str, port: int, url_variable: str = "") -> Provider:
    url = f"http://127.0.0.1:{port}/v1"
    return Provider(name, about, "chat", url, url_variable=url_variable, port=port)


PROVIDERS: tuple[Provider, ...] = (
    Provider(
        "anthropic",
        "Claude, by Anthropic",
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        "claude-sonnet-5-5",
        "ANTHROPIC_BASE_URL",
    ),
    Provider(
        "openai",
        "GPT, by OpenAI",
        "responses",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        "gpt-6.1-sol",
        "OPENAI_BASE_URL",
    ),
    Provider(
        "gemini",
        "Gemini, by Google",
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "gemini-3.8-flash",
    ),
    _service(
        "openrouter",
        "Models of many, by OpenRouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        "openrouter/auto",
    ),
    _service(
        "nous",
        "Hermes, by Nous Research",
        "https://inference-api.nousresearch.com/v1",
        "NOUS_API_KEY",
        "Hermes-4-405B",
    ),
    _service(
        "deepseek", "DeepSeek", "https://api.deepseek.com", "DEEPSEEK_API_KEY", "deepseek-flash"
    ),
    _service(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        "mistral-large-latest",
        "short_ids",
    ),
    _service("xai", "Grok, by xAI", "https://api.x.ai/v1", "XAI_API_KEY", "grok-4.3"),
    _service(
        "moonshot",
        "Kimi, by Moonshot",
        "https://api.moonshot.ai/v1",
        "MOONSHOT_API_KEY",
        "kimi-k2.6",
    ),
    _service("zai", "GLM, by Z.ai", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY", "glm-5.2"),
    _service(
        "dashscope",
        "Qwen, by Alibaba Cloud",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
        "qwen3.8-max",
    ),
    _service(
        "groq",
        "Open models, by Groq",
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
        "openai/gpt-oss-120b",
    ),
    _service(
        "cerebras",
        "Open models, by Cerebras",
        "https://api.cerebras.ai/v1",
        "CEREBRAS_API_KEY",
        "gpt-oss-120b",
    ),
    _service(
        "together",
        "Open models, by Together",
        "https://api.together.xyz/v1",
        "TOGETHER_API_KEY",
        "openai/gpt-oss-120b",
    ),
    _service(
        "fireworks",
        "Open models, by Fireworks",
        "https://api.fireworks.ai/inference/v1",
        "FIREWORKS_API_KEY",
        "accounts/fireworks/models/gpt-oss-120b",
    ),
    Provider(
        "huggingface",
        "Open models, by Hugging Face",
        "chat",
        "https://router.huggingface.co/v1",
        ("HF_TOKEN",),
        "openai/gpt-oss-120b",
        is_sought=False,  # most have it to download models, not to pay for answers
    ),
    _server("ollama", "Ollama on this machine", 11434, "OLLAMA_HOST"),
    _server("lmstudio", "LM Studio on this machine", 1234),
    _server("llamacpp", "llama.cpp's server on this machine", 8080),
    _server("vllm", "vLLM on this machine", 8000),
    _server("sglang", "SGLang on this machine", 30000),
    _server("jan", "Jan on this machine", 1337),
    _server("koboldcpp", "KoboldCpp on this machine", 5001),
    Provider("custom", "The service at model.base_url", "chat", "", is_sought=False),
)


def find_provider(name: str) -> Provider | None:
    """Return the provider of a name, or None."""
    return next((one for one in PROVIDERS if one.name == name), None)
