"""Know the developer tools that people run straight from a registry."""

from __future__ import annotations

import re

from hermes.policy.shell.models.words import words

_JS = frozenset(
    words(
        """
    tsc typescript ts-node tsx tsup tsd tsconfig eslint prettier jest vitest vite mocha ava tap
    jasmine karma nyc c8 cypress playwright puppeteer storybook sb webpack webpack-cli rollup
    esbuild parcel swc babel next nuxt nuxi astro svelte-kit svelte-check sv vue vue-tsc vue-cli
    angular ng nest nx turbo lerna rush changeset gulp grunt rimraf del-cli mkdirp cpx copyfiles
    cross-env concurrently npm-run-all npm-run-all2 run-s run-p wait-on start-server-and-test serve
    http-server nodemon pm2 husky lint-staged commitlint commitizen cz standard xo biome oxlint rome
    stylelint htmlhint markdownlint markdownlint-cli markdownlint-cli2 cspell alex textlint remark
    remark-cli prisma drizzle-kit knex sequelize sequelize-cli typeorm mikro-orm graphql-codegen
    openapi-typescript openapi-generator-cli swagger-cli redocly spectral orval json2ts ajv
    quicktype typedoc jsdoc documentation compodoc docusaurus vitepress vuepress gatsby eleventy
    hexo knip depcheck madge dependency-cruiser depcruise size-limit bundlesize source-map-explorer
    webpack-bundle-analyzer license-checker npm-check npm-check-updates ncu syncpack
    sort-package-json publint attw are-the-types-wrong expo react-native cap ionic hardhat truffle
    forge ganache tailwindcss postcss postcss-cli sass less svgo imagemin lighthouse lhci pa11y axe
    wdio webdriverio newman dredd k6 artillery autocannon testcafe nightwatch detox jscodeshift
    codemod ts-migrate ts-prune ts-unused-exports type-coverage patch-package yarn-deduplicate
    envinfo semver json json-server msw mkcert plop hygen degit tiged shadcn shadcn-ui create
    remix react-router solid qwik ember electron electron-builder electron-forge node npm pnpm yarn
    corepack firebase wrangler vercel netlify serverless sls sst cdk cdktf aws-cdk supabase convex
    semantic-release release-it np standard-version gh-pages conventional-changelog web-ext
    zx bun deno jsr ember-cli mocha-chrome stencil lit-analyzer sapper marko snowpack wmr
    rescript elm elm-test elm-format purs spago shadow-cljs cljs coffeescript assemblyscript asc
    wasm-pack wrangler2 miniflare partykit npx-check kill-port dotenv dotenv-cli env-cmd tailwind
    jest-cli babel-node babel-cli tslint jshint jscpd bundlewatch bundle-stats ladle histoire
    allure allure-commandline mochawesome cucumber-js cucumber codeceptjs nps wireit unbuild
    microbundle tsdx father umi modern rspack rsbuild rslib farm vike fumadocs-mdx contentlayer
    create-react-app create-next-app create-vite create-vue create-svelte create-remix create-astro
    create-expo create-expo-app create-t3-app create-turbo create-nx-workspace create-nuxt
    create-nuxt-app create-solid create-qwik create-hono create-docusaurus create-electron-app
    create-react-native-app create-react-native-library create-cloudflare create-payload-app
    create-strapi create-strapi-app create-medusa-app create-redwood-app create-elysia
    create-tauri-app create-rspack create-rsbuild create-convex create-gatsby create-preact
    create-stencil create-lit create-video create-react-router create-vitest create-playwright
    create-vite-extra create-umi create-probot-app create-sst create-storybook create-jest
    create-react-library create-vuetify create-quasar create-eslint create-fastify create-nestjs
    create-vitepress create-eleventy create-electron-vite create-better-t-stack create-llama
    velite sanity strapi payload directus keystone medusa blitz redwood rw sequelize-auto
    """
    )
)
_JS_SCOPES = frozenset(
    words(
        """
    @angular @babel @biomejs @nestjs @vue @sveltejs @storybook @playwright @types @typescript-eslint
    @microsoft @openapitools @redocly @stoplight @graphql-codegen @changesets @commitlint @cspell
    @tailwindcss @swc @rspack @react-native-community @react-native @ionic @capacitor @expo @sentry
    @arethetypeswrong @cucumber @stryker-mutator @lhci @axe-core @nx @11ty @docusaurus @tauri-apps
    @cloudflare @aws-amplify @electron-forge @modelcontextprotocol @antfu @next @shopify @remix-run
    @vitejs @vitest @jest @sanity @prisma @apollo @wdio @astrojs @web @open-wc @lingui @formatjs
    @rsbuild @callstack @eslint @stylistic @tanstack @trpc @hey-api @kubb @bufbuild @protobuf-ts
    """
    )
)
_PYTHON = frozenset(
    words(
        """
    ruff black isort flake8 pylint mypy pyright basedpyright ty pyre pytest tox nox coverage
    pre-commit pip-audit pip-tools pip-compile pip-licenses pipdeptree safety bandit vulture radon
    codespell yamllint pydocstyle pyupgrade autoflake autopep8 yapf djlint djhtml docformatter
    interrogate mkdocs sphinx sphinx-build sphinx-quickstart pdoc build twine hatch poetry pdm flit
    cookiecutter copier cruft commitizen cz bump2version bump-my-version towncrier ipython jupyter
    jupyterlab notebook httpie http sqlfluff semgrep licensecheck reuse py-spy memray scalene pudb
    ansible ansible-lint molecule cibuildwheel maturin meson ninja cmake cmakelang gcovr
    check-jsonschema validate-pyproject pyproject-fmt
    deptry import-linter lint-imports griffe towncrier uv ptpython
    rich-cli posting textual textual-dev harlequin visidata datasette sqlite-utils llm aider-chat
    pycowsay cowsay marimo streamlit fastapi uvicorn django-admin flask scrapy dvc pyinstaller
    nuitka cython mutmut hypothesis locust schemathesis docutils rst2html restructuredtext-lint
    doc8 blacken-docs codemod libcst monkeytype pytype refurb fixit pyflakes pycodestyle
    """
    )
)
_VERSION = re.compile(r"(?<=.)(?:@|==|>=|~=|\[).*$")


def _bare(package: str) -> str:
    return _VERSION.sub("", package)


def is_known_js(package: str) -> bool:
    """Say whether a package of the npm registry is a developer tool that many use."""
    if package.startswith(("./", "/", "../", ".")):
        return True
    if "://" in package or ":" in package.partition("/")[0]:
        return False
    name = _bare(package)
    if name.startswith("@"):
        scope = name.partition("/")[0]
        return scope in _JS_SCOPES
    if "/" in name:
        return False
    return name in _JS or name.startswith(("eslint-", "prettier-", "jest-", "vite-"))


def is_known_python(package: str) -> bool:
    """Say whether a package of the Python registry is a developer tool that many use."""
    if package.startswith(("./", "/", "../", ".")):
        return True
    if "://" in package:
        return False
    return _bare(package).lower().replace("_", "-") in _PYTHON
