import { describe, expect, test } from 'vitest'
import { renderProblems } from '../../../src/lib/renderProblems.ts'
import { load, loadGood, problemsOf, smallest } from './loadInMemory.ts'

describe('what a configuration gives', () => {
  test('base address and chains alone are enough', () => {
    const { config } = loadGood(smallest)
    expect(config.explorer).toEqual({
      baseUrl: 'https://x.example',
      name: 'x.example',
      others: [],
      quorum: 1,
      chains: { main: 'A', zone: 'B' },
      dialect: {
        path: { main: 'chain', zone: 'zone' },
        field: { main: 'main', zone: 'zone' },
        direction: { main: 'Main', zone: 'Zone' },
        headerPrefix: 'SVC',
      },
      auth: null,
      pace: { maxRequestsPerSecond: 4, concurrency: 8 },
      timeoutMs: 10_000,
      links: { tx: { main: null, zone: null } },
    })
    expect(config.http).toEqual({
      host: '127.0.0.1',
      port: 9464,
      token: null,
      readToken: null,
      sessions: '1',
      trustProxy: [],
      publicUrl: null,
    })
    expect(config.retention).toEqual({
      transfersMs: 400 * 86_400_000,
      preconfMs: 7 * 86_400_000,
      auditMs: 1_100 * 86_400_000,
    })
    expect(config.poll.sweepMs).toBe(86_400_000)
  })

  test('without channels people hear on the console (semantics 36)', () => {
    expect(loadGood(smallest).config.channels).toEqual([{ name: 'console', type: 'console' }])
  })

  test('folders resolve from the file, not from where spanwatch was started (semantics 34)', () => {
    const { config } = loadGood(`${smallest}state: ../data\nrules: mine\n`, {
      folders: ['/etc/spanwatch/mine'],
    })
    expect([config.stateDir, config.rulesDir]).toEqual(['/etc/data', '/etc/spanwatch/mine'])
  })

  test('a rules folder beside the file is used without being named', () => {
    const { config } = loadGood(smallest, { folders: ['/etc/spanwatch/rules'] })
    expect(config.rulesDir).toBe('/etc/spanwatch/rules')
  })

  test('without a rules folder the shipped rules hold', () => {
    const shipped = new URL('../../../rules', import.meta.url).pathname
    expect(loadGood(smallest).config.rulesDir).toBe(shipped)
  })

  test('several sources of one seat each have a name: their own, else their host', () => {
    const list =
      '["https://a.example/k3y", { name: ours, url: "https://b.example" }, "https://a.example/other"]'
    const text = `${smallest.replace('"https://x.example/"', list)}canonical: { url: ${list} }\n`
    const { canonical, explorer } = loadGood(text).config
    const named = [
      ['a.example', 'https://a.example/k3y'],
      ['ours', 'https://b.example'],
      ['a.example 2', 'https://a.example/other'],
    ]
    expect([
      [explorer.name, explorer.baseUrl],
      ...explorer.others.map(({ name, url }) => [name, url]),
    ]).toEqual(named)
    expect([
      [canonical?.name, canonical?.url.reveal()],
      ...(canonical?.others ?? []).map(({ name, url }) => [name, url.reveal()]),
    ]).toEqual(named)
  })

  test.each([
    ['canonical: { url: [] }', '2:19 `canonical.url`: expected at least one address'],
    [
      'canonical: { url: ["https://a.example", "b.example"] }',
      '`canonical.url[1]`: expected an http or https address',
    ],
    ['canonical: { url: [{ nam: x, url: "https://a.example" }] }', 'unknown key `nam`, did you mean `name`?'],
  ])('%s is refused in its place', (more, says) => {
    expect(problemsOf(`${smallest}${more}\n`).join('\n')).toContain(says)
  })

  test('a rules folder that is named has to exist', () => {
    expect(problemsOf(`${smallest}rules: mine\n`)).toEqual(['2:8 there is no folder /etc/spanwatch/mine'])
  })

  test('a price file that is not there is no problem: others write it, now and later', () => {
    const loaded = loadGood(`${smallest}bridge: { prices: prices.json }\n`)
    expect(loaded.warnings.map(({ message }) => message)).toEqual([
      '/etc/spanwatch/prices.json: there is no such file',
    ])
  })

  test('a route keeps its expression and has its durations in ms', () => {
    const text = `${smallest}channels: { a: { type: console } }\nroutes: [{ match: 'kind == "x"', channels: [a], groupWait: 10s, repeat: 1d }, { channels: [a] }]\n`
    const plain = {
      maxRepeatMs: null,
      sendResolved: true,
      mute: [],
      activeTimes: [],
      muteCritical: false,
      escalate: [],
    }
    expect(loadGood(text).config.routes).toEqual([
      {
        match: 'kind == "x"',
        channels: ['a'],
        groupBy: ['case'],
        continue: false,
        groupWaitMs: 10_000,
        groupIntervalMs: 300_000,
        repeatMs: 86_400_000,
        ...plain,
      },
      {
        match: null,
        channels: ['a'],
        groupBy: ['case'],
        continue: false,
        groupWaitMs: null,
        groupIntervalMs: 300_000,
        repeatMs: 14_400_000,
        ...plain,
      },
    ])
  })

  test('days of a month, months and dates are points and ranges; null is all of them', () => {
    const intervals = `[{ daysOfMonth: [1, "15:20", -1, "28:-1"], months: [jan, 3, "jun:aug"], dates: [2026-12-24, "2026-12-24:2027-01-01"] }, {}]`
    const { config } = loadGood(`${smallest}muteTimes: { quiet: ${intervals} }\n`)
    const point = <T>(from: T, to = from) => ({ from, to })
    expect(config.muteTimes['quiet']).toMatchObject([
      {
        daysOfMonth: [point(1), point(15, 20), point(-1), point(28, -1)],
        months: [point(1), point(3), point(6, 8)],
        dates: [point('2026-12-24'), point('2026-12-24', '2027-01-01')],
      },
      { daysOfMonth: null, months: null, dates: null },
    ])
  })

  test.each([
    ['daysOfMonth: [0]', 'expected a day of the month'],
    ['daysOfMonth: [32]', 'expected a day of the month'],
    ['daysOfMonth: ["7:1"]', 'expected a day of the month'],
    ['daysOfMonth: ["-1:1"]', 'expected a day of the month'],
    ['daysOfMonth: ["1:2:3"]', 'expected a day of the month'],
    ['daysOfMonth: []', 'expected a day of the month'],
    ['months: [13]', 'expected a month'],
    ['months: ["nov:feb"]', 'over the turn of the year write two'],
    ['months: [xyz]', 'expected a month'],
    ['dates: [2026-02-29]', 'expected a date'],
    ['dates: ["2026-12-24:2026-12-23"]', 'expected a date'],
    ['dates: [24.12.2026]', 'expected a date'],
  ])('a mute time with %s is refused', (interval, problem) => {
    expect(problemsOf(`${smallest}muteTimes: { quiet: [{ ${interval} }] }\n`).join()).toContain(problem)
  })

  test('an active time that nobody defined is refused', () => {
    const text = `${smallest}channels: { a: { type: console } }\nmuteTimes: { office: [{}] }\nroutes: [{ channels: [a], activeTimes: [ofice] }]\n`
    expect(problemsOf(text).join()).toContain('no mute time is named `ofice`, did you mean `office`?')
  })

  test.each([
    ['now', { kind: 'now' }],
    ['genesis', { kind: 'genesis' }],
    ['30d', { kind: 'ago', ms: 30 * 86_400_000 }],
    ['main:120', { kind: 'height', chain: 'main', height: 120 }],
    ['"zone:0"', { kind: 'height', chain: 'zone', height: 0 }],
  ])('start.from %s (semantics 36)', (from, expected) => {
    expect(loadGood(`${smallest}start: { from: ${from} }\n`).config.start.from).toEqual(expected)
  })

  test('http: null opens no port', () => {
    expect(loadGood(`${smallest}http: null\n`).config.http).toBeNull()
  })

  test('an IPv6 address listens too', () => {
    const { config } = loadGood(`${smallest}http: { listen: "[::1]:0" }\n`)
    expect(config.http).toMatchObject({ host: '::1', port: 0 })
  })

  test('addresses are kept in lower case, amounts as they were written', () => {
    const address = `0x${'Ab'.repeat(20)}`
    const text = `${smallest}bridge: { operators: [{ address: "${address}", minBalance: "0.50" }] }\n`
    expect(loadGood(text).config.bridge.operators).toEqual([
      { address: address.toLowerCase(), minBalance: '0.50' },
    ])
  })

  test('a byte order mark and carriage returns are no obstacle', () => {
    expect(load(`\uFEFF${smallest.replaceAll(', ', ',\r\n  ')}`).ok).toBe(true)
  })
})

describe('what is refused, and where', () => {
  test.each([
    ['a key that is nearly one', 'pol: {}', '2:1 unknown key `pol`, did you mean `poll`?'],
    [
      'a nested key that is nearly one',
      'poll: { swep: 1h }',
      '2:9 unknown key `swep`, did you mean `sweep`?',
    ],
    [
      'a duration without a unit',
      'poll: { sweep: 24 }',
      '2:16 `poll.sweep`: expected a duration such as 30s, 5m or 1h30m, got 24',
    ],
    [
      'a duration that is too short',
      'retention: { transfers: 1h }',
      '2:25 `retention.transfers`: expected a duration of at least 1d, got "1h"',
    ],
    [
      'a duration that is too long',
      'preconf: { url: "https://p.example", interval: 2m }',
      '2:48 `preconf.interval`: expected a duration of at most 1m, got "2m"',
    ],
    [
      'reminders that grow to less than the first distance',
      'routes: [{ channels: [console], repeat: 10m, repeatMax: 5m }]',
      '2:57 `routes[0].repeatMax`: expected at least `repeat`, 10m: reminders grow from that, got "5m"',
    ],
    [
      'reminders that grow to less than the default distance',
      'routes: [{ channels: [console], repeatMax: 1h }]',
      '2:44 `routes[0].repeatMax`: expected at least `repeat`, 4h: reminders grow from that, got "1h"',
    ],
    [
      'a cron field of a report out of range',
      'reports: { daily: { cron: "60 8 * * *", channel: console } }',
      '2:27 `reports.daily.cron`: expected a cron expression such as "0 8 * * *" (minutes first): Field value (60) is out of range, got "60 8 * * *"',
    ],
    [
      'a cron expression of the canary that never comes due',
      'canary: { cron: "0 8 30 2 *" }',
      '2:17 `canary.cron`: expected a cron expression that comes due: this one never does, got "0 8 30 2 *"',
    ],
    [
      'a cron field out of range',
      'poll: { heads: "60 * * * * *" }',
      '2:16 `poll.heads`: expected a cron expression such as "*/5 * * * * *" (seconds first): Field value (60) is out of range, got "60 * * * * *"',
    ],
    [
      'a cron expression that never comes due',
      'poll: { heads: "0 0 0 30 2 *" }',
      '2:16 `poll.heads`: expected a cron expression that comes due: this one never does, got "0 0 0 30 2 *"',
    ],
    [
      'a time zone that is none',
      'reports: { daily: { timezone: Mars/X, channel: console } }',
      '2:31 `reports.daily.timezone`: expected an IANA time zone such as Europe/Berlin, got "Mars/X"',
    ],
    [
      'an offset for a time zone',
      'reports: { daily: { timezone: "+02:00", channel: console } }',
      '2:31 `reports.daily.timezone`: expected an IANA time zone such as Europe/Berlin, got "+02:00"',
    ],
    [
      'an address without quotes',
      `bridge: { contracts: [0x${'12'.repeat(20)}] }`,
      `2:23 quote this address: without quotes YAML reads 0x${'12'.repeat(20)} as a number`,
    ],
    [
      'an address of 39 digits',
      `bridge: { contracts: ["0x${'1'.repeat(39)}"] }`,
      `2:23 \`bridge.contracts[0]\`: expected an address in quotes: 0x and 40 hex digits, got "0x${'1'.repeat(39)}"`,
    ],
    [
      'the native currency as a token that the bridge mints',
      `bridge: { escrows: [{ address: "0x${'0'.repeat(40)}", token: "0x${'e'.repeat(40)}" }] }`,
      `2:85 \`bridge.escrows[0].token\`: expected a token that the bridge mints, as \`address\` has it: not the native currency, got "0x${'e'.repeat(40)}"`,
    ],
    [
      'a baseline of what is minted',
      `bridge: { escrows: [{ address: "0x${'0'.repeat(40)}", token: "0x${'c'.repeat(40)}", baseline: "5" }] }`,
      `2:141 \`bridge.escrows[0].baseline\`: expected none: what is minted is held nowhere, got "5"`,
    ],
    [
      'a wrapper that is a spelling of the native currency',
      `bridge: { wrappedNative: "0x${'0'.repeat(40)}" }`,
      `2:26 \`bridge.wrappedNative\`: expected the address of the wrapper, not of the native currency, got "0x${'0'.repeat(40)}"`,
    ],
    [
      'an amount that is a number',
      `canonical: { url: "https://r.example", verifyAbove: 0.5 }`,
      '2:53 `canonical.verifyAbove`: expected an amount in quotes such as "1.5", got 0.5',
    ],
    [
      'not a number',
      'canonical: { url: "https://r.example", sample: .nan }',
      '2:48 .nan is not a number that means anything here',
    ],
    [
      'a share above one',
      'canonical: { url: "https://r.example", sample: 1.01 }',
      '2:48 `canonical.sample`: expected a share from 0 to 1, got 1.01',
    ],
    ['a key given twice', 'state: a\nstate: b', '3:1 this key was given before, in line 2'],
    ['a merge key', 'http: { <<: {} }', '2:9 merge keys (<<) are not supported: write the keys out'],
    ['a prototype', '__proto__: {}', '2:1 this key is not allowed'],
    ['a second document', '---\nstate: x', '2:1 expected one YAML document: remove what follows `---`'],
    ['tabs', 'poll:\n\tsweep: 1h', '3:1 tabs cannot indent YAML: use spaces'],
    [
      'a route to nowhere',
      'channels: { ops: { type: console } }\nroutes: [{ channels: [opps] }]',
      '3:23 no channel is named `opps`, did you mean `ops`?',
    ],
    [
      'a report to nowhere',
      'reports: { daily: { channel: mail } }',
      '2:30 no channel is named `mail`: there is console',
    ],
    [
      'a channel of unknown type',
      'channels: { a: { type: pager } }',
      '2:24 `channels.a.type`: expected a channel with type slack, slack-app, email, webhook, pagerduty, alertmanager, teams, discord, telegram or console, got "pager"',
    ],
    [
      'a key of another channel type',
      'channels: { a: { type: console, urll: x } }',
      '2:33 unknown key `urll`: expected `type`',
    ],
    [
      'more sources to agree than are named',
      'canonical: { url: "https://n.example", quorum: 2 }',
      '2:48 2 sources have to agree, and only one source is listed: name more of them, or lower it',
    ],
    [
      'two addresses of one host are one source',
      'zoneRpc: { url: ["https://n.example/a", "https://n.example/b", "https://m.example"], quorum: 3 }',
      '2:94 3 sources have to agree, and only 2 sources of different hosts are listed: name more of them, or lower it',
    ],
    [
      'an open door',
      'http: { listen: "0.0.0.0:9464" }',
      '2:17 expected http.token: without one the page must listen on loopback, such as 127.0.0.1',
    ],
    [
      'a token that can be guessed',
      'http: { listen: "0.0.0.0:9464", token: fifteen-letters }',
      '2:40 expected at least 16 characters beyond loopback, such as those of `openssl rand -hex 16`',
    ],
    [
      'a token to look with that can be guessed',
      'http: { listen: "[::]:9464", token: sixteen-letters-, readToken: short }',
      '2:66 expected at least 16 characters beyond loopback, such as those of `openssl rand -hex 16`',
    ],
    [
      'a token to look with alone',
      'http: { readToken: sixteen-letters- }',
      '2:20 expected http.token beside it: the one that may act',
    ],
    [
      'one token for both',
      'http: { token: sixteen-letters-, readToken: sixteen-letters- }',
      '2:45 expected another text than http.token: it may look only',
    ],
    [
      'a proxy by name',
      'http: { trustProxy: [proxy.example] }',
      '2:22 `http.trustProxy[0]`: expected an IP address or a range such as "10.0.0.0/8", in quotes, got "proxy.example"',
    ],
    [
      'a range too narrow to be one',
      'http: { trustProxy: ["10.0.0.0/33"] }',
      '2:22 `http.trustProxy[0]`: expected an IP address or a range such as "10.0.0.0/8", in quotes, got "10.0.0.0/33"',
    ],
    [
      'a port above 65535',
      'http: { listen: "127.0.0.1:65536" }',
      '2:17 `http.listen`: expected host:port such as "127.0.0.1:9464", got "127.0.0.1:65536"',
    ],
  ])('%s', (_, text, problem) => {
    expect(problemsOf(`${smallest}${text}\n`)).toEqual([problem])
  })

  test('F78: what YAML reads as something else is refused with its place, or says what was written', () => {
    const address = `0x${'12'.repeat(20)}`
    const levels = 'abcdefgh'.split('').map((name, index, all) => {
      const inner = index === 0 ? 'x,'.repeat(9) : `*${all[index - 1]},`.repeat(9)
      return `${name}: &${name} [${inner}]`
    })
    const refused = {
      'an address without quotes': `bridge: { contracts: [${address}] }`,
      'an address that begins a line': `bridge:\n  contracts:\n    - ${address}`,
      'a number in octal': 'canonical: { url: "https://r.example", confirmations: 0o17 }',
      'aliases that multiply': levels.join('\n'),
      'a key twice': 'state: a\nstate: b',
      'a key twice, deeper': 'poll: { sweep: 1h, sweep: 2h }',
      tabs: 'poll:\n\tsweep: 1h',
      'two documents': '---\nstate: x',
      'not a number': 'canonical: { url: "https://r.example", sample: .nan }',
      'no end of it': 'canonical: { url: "https://r.example", sample: .inf }',
      'a prototype': '__proto__: { polluted: yes }',
      'a prototype in a flow': 'poll: { __proto__: { sweep: 1h } }',
      'a merge key': 'base: &base { sweep: 1h }\npoll:\n  <<: *base',
      'five megabytes': `# ${'x'.repeat(5_000_000)}`,
    }
    const silent = Object.entries(refused).filter(([, text]) => {
      const problems = problemsOf(`${smallest}${text}\n`)
      return problems.length === 0 || !problems.every((problem) => /^\d+:\d+ /.test(problem))
    })
    expect(silent).toEqual([])
    expect({}).not.toHaveProperty('polluted')
    const written = `\uFEFF${smallest}state: no\nbridge: { contracts: ["${address}"] }\n`.replaceAll(
      '\n',
      '\r\n',
    )
    const { config } = loadGood(written)
    expect([config.stateDir, config.bridge.contracts]).toEqual(['/etc/spanwatch/no', [address]])
  })

  test('credentials in the base address', () => {
    const text = smallest.replace('https://', 'https://user:p4ssw0rd@')
    const [problem] = problemsOf(text)
    expect(problem).toContain('expected an address without user name and password')
    const loaded = load(text)
    expect(loaded.ok ? '' : renderProblems(loaded.problems)).not.toContain('p4ssw0rd')
  })

  test('a file without anything in it', () => {
    expect(problemsOf('')).toEqual(['1:1 the file: expected a mapping, got nothing'])
  })

  test.each([
    ['https://x.example/api/v5', 'https://x.example'],
    ['https://x.example/api/v5/', 'https://x.example'],
    ['https://x.example:8443/proxy/api/v5/acme/az', 'https://x.example:8443/proxy'],
    ['https://x.example/api/v6', 'https://x.example'],
  ])('the address of the explorer %s has what every path begins with', (given, wanted) => {
    const text = `explorer: { baseUrl: "${given}", chains: { main: A, zone: B } }\n`
    const [problem, ...others] = problemsOf(text)
    expect(problem).toContain('`explorer.baseUrl`: expected the address without')
    expect(problem).toContain(`write ${wanted}, got`)
    expect(others).toEqual([])
  })

  test('in a list of explorers the one whose address has the path is named', () => {
    const urls = '["https://a.example", { name: b, url: "https://b.example/api/v5" }]'
    const text = `explorer: { baseUrl: ${urls}, chains: { main: A, zone: B } }\n`
    expect(problemsOf(text)).toEqual([
      '1:60 `explorer.baseUrl[1].url`: expected the address without `/api/v5`, which paths begin with: write https://b.example, got "https://b.example/api/v5"',
    ])
  })

  test.each(['https://x.example/api', 'https://api.example/v5', 'https://x.example/my-api/v5x'])(
    'a proxy at %s is an address like any other',
    (url) => {
      expect(problemsOf(`explorer: { baseUrl: "${url}", chains: { main: A, zone: B } }\n`)).toEqual([])
    },
  )

  test.each(['X', 'x'])('the name of the main chain for the zone chain, %s, is refused', (zone) => {
    const text = `explorer: { baseUrl: "https://x.example", chains: { main: X, zone: ${zone} } }\n`
    expect(problemsOf(text)).toEqual(["1:68 expected the name of the zone chain: X is the main chain's"])
  })

  test('two names that are not known here may be different ones', () => {
    const text = 'explorer: { baseUrl: "https://x.example", chains: { main: "${MAIN}", zone: "${ZONE}" } }\n'
    expect(problemsOf(text, { needs: ['channels'] })).toEqual([])
  })

  test('all problems are told at once', () => {
    const text =
      'explorer:\n  baseUrl: ftp://x\n  pase: {}\nchannels:\n  a: { type: slack }\nroutes:\n  - channels: [b]\n'
    expect(problemsOf(text).sort()).toEqual([
      '2:12 `explorer.baseUrl`: expected an http or https address, got "ftp://x"',
      '2:3 `explorer.chains` is missing: expected a mapping',
      '3:3 unknown key `pase`, did you mean `pace`?',
      '5:6 `channels.a.url` is missing: expected an http or https address',
      '7:16 no channel is named `b`: there is a',
    ])
  })

  test('of two keys missing at one place both are told', () => {
    expect(problemsOf('explorer: {}\n')).toEqual([
      '1:11 `explorer.baseUrl` is missing: expected an http or https address',
      '1:11 `explorer.chains` is missing: expected a mapping',
    ])
  })

  test('the line is shown with a caret below the mistake', () => {
    const loaded = load(
      'explorer:\n  pase: { concurrency: 3 }\n  baseUrl: https://x.example\n  chains: { main: A, zone: B }\n',
    )
    expect(loaded.ok ? '' : renderProblems(loaded.problems)).toMatchInlineSnapshot(`
      "/etc/spanwatch/spanwatch.yaml:2:3: unknown key \`pase\`, did you mean \`pace\`?
          2 |   pase: { concurrency: 3 }
            |   ^^^^"
    `)
  })

  test('a file that is not there', () => {
    const loaded = load(smallest)
    expect(loaded.ok).toBe(true)
    expect(problemsOf('x: ${file:/nope}')).toContain(
      '1:4 the file /nope cannot be read: there is no such file',
    )
  })
})
