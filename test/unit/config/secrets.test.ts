import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createScrubber } from '../../../src/lib/secret.ts'
import { renderProblems } from '../../../src/lib/renderProblems.ts'
import { load, loadGood, problemsOf, smallest, warningsOf } from './loadInMemory.ts'

const withAuth = smallest.replace(
  'chains:',
  'auth: { key: "${KEY}", secret: "${SECRET}", passphrase: "${file:/run/secrets/pass}" }, chains:',
)
const surroundings = {
  env: { KEY: 'key-1234', SECRET: 'secret: "[1234' },
  files: { '/run/secrets/pass': 'pass-1234\n' },
}

describe('references', () => {
  test('bring text, whatever it looks like as YAML (semantics 36)', () => {
    const { auth } = loadGood(withAuth, surroundings).config.explorer
    expect([auth?.key.reveal(), auth?.secret.reveal(), auth?.passphrase.reveal()]).toEqual([
      'key-1234',
      'secret: "[1234',
      'pass-1234',
    ])
  })

  test('may be a part of a value', () => {
    const text = `${smallest}channels: { a: { type: slack, url: "https://hooks.example/\${TAIL}" } }\n`
    const [channel] = loadGood(text, { env: { TAIL: 'T/B' } }).config.channels
    expect(channel?.type === 'slack' && channel.url.reveal()).toBe('https://hooks.example/T/B')
  })

  test('a file is named relative to the configuration', () => {
    const text = `${smallest}state: "\${file:where}"\n`
    const { config } = loadGood(text, { files: { '/etc/spanwatch/where': '/data' } })
    expect(config.stateDir).toBe('/data')
  })

  test('a doubled dollar is a plain one', () => {
    expect(loadGood(`${smallest}state: "/a/$\${b}"\n`).config.stateDir).toBe('/a/${b}')
  })

  test.each([
    [
      'a missing variable is named, with its place',
      'state: "${STATE_DIRR}"',
      '2:8 the environment variable STATE_DIRR is not set, did you mean `STATE_DIR`?',
    ],
    [
      'an empty variable counts as missing',
      'state: "${EMPTY}"',
      '2:8 the environment variable EMPTY is empty',
    ],
    [
      'a name that is none',
      'state: "${a b}"',
      '2:8 expected ${NAME} or ${file:/path/to/file}; write $${ for a plain ${',
    ],
    ['a reference without an end', 'state: "${A"', '2:8 expected `}` after `${`'],
  ])('%s', (_, text, problem) => {
    expect(problemsOf(`${smallest}${text}\n`, { env: { STATE_DIR: '/x', EMPTY: '' } })).toEqual([problem])
  })
})

describe('references in sections that a command does not use', () => {
  const text = [
    smallest.trimEnd(),
    'http: { token: "${TOKEN}" }',
    'channels:',
    '  a: { type: slack, url: "${HOOK}" }',
    '  b: { type: email, smtp: "${SMTP}", from: a@x.example, to: [b@x.example] }',
    '  c: { type: webhook, url: "https://x.example/${file:/gone}", secret: "${SECRET}" }',
  ].join('\n')

  test('may be missing, and what stands for them is no secret', () => {
    const { config, secrets } = loadGood(text, { needs: [] })
    expect(config.channels.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(secrets).toEqual([])
  })

  test('are missed where the section is needed', () => {
    expect(problemsOf(text, { needs: ['http'] })).toContain('2:16 the environment variable TOKEN is not set')
    expect(loadGood(text, { needs: ['http'], env: { TOKEN: 'sixteen-letters-0' } }).secrets).toHaveLength(2)
  })

  test('are all missed when no command says what it needs', () => {
    expect(problemsOf(text)).toHaveLength(5)
  })

  test('are named when a placeholder does not fit their place', () => {
    const odd =
      'channels: { b: { type: email, smtp: "smtp://x.example", from: "${FROM}", to: [b@x.example] } }'
    expect(problemsOf(`${smallest}${odd}`, { needs: [] })).toEqual([
      expect.stringContaining('the environment variable FROM is not set'),
    ])
  })
})

describe('secrets', () => {
  const everything = `${withAuth}channels:
  chat: { type: slack, url: "https://hooks.example/services/T000/B000/literal1" }
  mail: { type: email, smtp: "smtp://me:\${SMTP_PASS}@mail.example", from: a@b.example, to: [c@d.example] }
  hook: { type: webhook, url: "https://h.example/literal2", secret: literal3 }
http: { token: literal4 }
heartbeat: { url: "https://hc.example/literal5" }
`
  const all = { ...surroundings, env: { ...surroundings.env, SMTP_PASS: 'p%40ssword' } }
  const values = [
    'key-1234',
    'secret: "[1234',
    'pass-1234',
    'literal1',
    'literal2',
    'literal3',
    'literal4',
    'literal5',
    'ssword',
  ]

  test('show in no dump of the configuration', () => {
    const { config } = loadGood(everything, all)
    const shown = `${JSON.stringify(config)} ${inspect(config, { depth: 9 })}`
    expect(values.filter((value) => shown.includes(value))).toEqual([])
  })

  test('are all known to the scrubber, with the parts of them that travel alone', () => {
    const { secrets } = loadGood(everything, all)
    const scrub = createScrubber(secrets)
    const texts = [
      ...values.slice(0, 3),
      'https://hooks.example/services/T000/B000/literal1',
      'POST /services/T000/B000/literal1 failed',
      'AUTH p@ssword',
      'AUTH p%40ssword',
      'literal3',
      'literal4',
      'GET /literal5',
    ]
    expect(texts.map(scrub).filter((line) => values.some((value) => line.includes(value)))).toEqual([])
  })

  test('a host without a path is no secret: people must be told which one does not answer', () => {
    const { secrets } = loadGood(`${smallest}preconf: { url: "https://rpc.example" }\n`)
    expect(secrets).toEqual([])
  })

  test('in plain text they work and are warned about', () => {
    const warnings = warningsOf(everything, all).filter((warning) => warning.includes('plain text'))
    expect(warnings).toEqual([
      '6:16 `http.token` is a secret in plain text: write ${NAME} or ${file:/path} instead',
      '3:29 `channels.chat.url` is a secret in plain text: write ${NAME} or ${file:/path} instead',
      '5:69 `channels.hook.secret` is a secret in plain text: write ${NAME} or ${file:/path} instead',
    ])
  })

  test.each([
    [
      'beside an unknown key',
      'explorer: { auth: { key: hidden-1, secert: hidden-2, passphrase: hidden-3 } }',
    ],
    [
      'of a mistyped channel',
      'channels: { a: { type: slac, url: "https://h.example/hidden-1", urll: hidden-2 } }',
    ],
    ['with the wrong type', 'channels: { a: { type: slack, url: [hidden-1] } }\nhttp: { tokn: hidden-2 }'],
    ['of a file that is no YAML', 'http: { token: "hidden-1 }\nsecret: hidden-2: [\n'],
    ['that is not an address', 'heartbeat: { url: "hidden-1" }\npreconf: { url: hidden-2 }'],
    ['in a block', 'explorer:\n  auth:\n    secret: |\n      hidden-1\n      hidden-2\n    pass: 1\n'],
  ])('stay covered in problems: %s', (_, text) => {
    const loaded = load(text)
    expect(loaded.ok ? 'loaded' : renderProblems(loaded.problems)).not.toMatch(/loaded|hidden/)
  })

  test('a value from the environment is never shown, also where it is wrong', () => {
    const loaded = load(`${smallest}state: "x"\npoll: { sweep: "\${BAD}" }\n`, { env: { BAD: 'hidden-1' } })
    const shown = loaded.ok ? 'loaded' : renderProblems(loaded.problems)
    expect(shown).toContain('`poll.sweep`: expected a duration such as 30s, 5m or 1h30m, got "${BAD}"')
    expect(shown).not.toContain('hidden-1')
  })
})

test.each([
  ['http: { token: "${T}" }', 'http.token'],
  ['channels: { a: { type: webhook, url: "https://h.example/", secret: "${T}" } }', 'channels.a.secret'],
  ['http: { token: "${LONG}" }', null],
])('F76: a secret of seven characters is warned about, one of eight is not: %s', (text, place) => {
  const warnings = warningsOf(`${smallest}${text}\n`, { env: { T: 'seven-7', LONG: 'eight--8' } })
  const told = `\`${place}\` is shorter than 8 characters: it cannot be distinguished from other text, and is not masked in logs`
  expect(warnings).toEqual(place === null ? [] : [expect.stringContaining(told)])
})

test('of every type of channel what is secret is known to the scrubber, and warned about in plain text', () => {
  const text = `${smallest}channels:
  pager: { type: pagerduty, routingKey: literal-of-pager }
  manager: { type: alertmanager, url: "http://127.0.0.1:9093" }
  cloud: { type: alertmanager, url: "https://me:literal-of-cloud@am.example/" }
  teams: { type: teams, url: "https://flows.example/x?sig=literal-of-teams" }
  discord: { type: discord, url: "https://discord.example/api/webhooks/1/literal-of-discord" }
  telegram: { type: telegram, botToken: "1:literal-of-telegram", chatId: -100 }
`
  const { secrets } = loadGood(text)
  const scrub = createScrubber(secrets)
  const literals = [...text.matchAll(/literal-of-\w+/g)].map(([literal]) => literal)
  expect(literals).toHaveLength(5)
  const said = [
    'routing_key: literal-of-pager',
    'password literal-of-cloud',
    'POST /x?sig=literal-of-teams',
    '/api/webhooks/1/literal-of-discord not found',
    'bot1:literal-of-telegram',
  ]
  expect(said.map(scrub).filter((line) => literals.some((literal) => line.includes(literal)))).toEqual([])
  expect(
    warningsOf(text).map((warning) => /`channels\.(\S+)` is a secret in plain text/.exec(warning)?.[1]),
  ).toEqual(['pager.routingKey', 'cloud.url', 'teams.url', 'discord.url', 'telegram.botToken'])
})

describe('other warnings', () => {
  const hook = (url: string) => `channels: { a: { type: webhook, url: "${url}" } }`
  test.each([
    [
      'plain http to another machine',
      hook('http://h.example/x'),
      ['2:38 `channels.a.url` is plain http to another machine: everybody between can read and change it'],
    ],
    ['plain http to this machine is fine', hook('http://127.0.0.1:99/x'), []],
    ['plain http to ::1 is fine', hook('http://[::1]:99/x'), []],
    [
      'a channel that nothing leads to',
      'channels: { a: { type: console }, b: { type: console } }\nroutes: [{ channels: [a] }]',
      ['2:35 no route leads to the channel `b`'],
    ],
    [
      'alerts that no route takes',
      'routes: [{ match: \'kind == "x"\', channels: [console] }]',
      ['2:1 alerts that match no route go to nobody: end with a route without `match`'],
    ],
    [
      'a route behind one that takes everything',
      'routes: [{ channels: [console] }, { channels: [console] }]',
      ['2:35 never reached: `routes[0]` takes everything; give it `continue: true` or a `match`'],
    ],
    [
      'two tokens of one symbol are not told apart',
      `bridge: { tokens: [
  { address: "0x${'a1'.repeat(20)}", symbol: USDC, decimals: 6 },
  { address: "0x${'b2'.repeat(20)}", symbol: WETH, decimals: 18 },
  { address: "0x${'c3'.repeat(20)}", symbol: usdc, decimals: 6 } ] }`,
      ['5:68 `bridge.tokens[0]` is called usdc as well: messages and reports do not tell the two apart'],
    ],
    [
      'an escrow that is a token',
      `bridge: {
  tokens: [ { address: "0x${'a1'.repeat(20)}", symbol: USDC, decimals: 6 } ],
  escrows: [
    { address: "0x${'A1'.repeat(20)}", token: "0x${'a1'.repeat(20)}" },
    { address: "0x${'b2'.repeat(20)}", token: "0x${'b2'.repeat(20)}" },
    { address: "0x${'c3'.repeat(20)}", token: "0x${'a1'.repeat(20)}" } ] }`,
      [
        '5:16 `bridge.escrows[0].address` is the contract of the token USDC: expected the contract that holds it for the bridge',
        `6:16 \`bridge.escrows[1].address\` is the contract of the token 0x${'b2'.repeat(20)}: expected the contract that holds it for the bridge`,
      ],
    ],
    [
      'an escrow that is the wrapper of the native currency',
      `bridge: { wrappedNative: "0x${'a1'.repeat(20)}",
  escrows: [ { address: "0x${'a1'.repeat(20)}", token: "0x${'ee'.repeat(20)}" } ] }`,
      [
        `3:25 \`bridge.escrows[0].address\` is the contract of the token 0x${'a1'.repeat(20)}: expected the contract that holds it for the bridge`,
      ],
    ],
    [
      'one node in two seats',
      'preconf: { url: "https://rpc.example/v1?key=abc" }\ncanonical: { url: "https://RPC.example/v1?key=abc" }',
      [
        '3:19 `canonical.url` is the address of `preconf.url` again: one source that is asked twice agrees with itself',
      ],
    ],
    [
      'one source twice in a list',
      'zoneRpc: { url: [ "https://a.example", { name: ours, url: "https://a.example/" } ] }',
      [
        '2:59 `zoneRpc.url[1].url` is the address of `zoneRpc.url[0]` again: one source that is asked twice agrees with itself',
      ],
    ],
    [
      'two sources of one host are two addresses',
      'preconf: { url: "https://rpc.example/preconf" }\ncanonical: { url: "https://rpc.example/main" }',
      [],
    ],
  ])('%s', (_, text, warnings) => {
    expect(warningsOf(`${smallest}${text}\n`)).toEqual(warnings)
  })
})

test('two addresses that are not known here may be different ones', () => {
  const text = `${smallest}preconf: { url: "\${PRECONF}" }\ncanonical: { url: "\${CANONICAL}" }\n`
  expect(warningsOf(text, { needs: ['channels'] })).toEqual([])
})
