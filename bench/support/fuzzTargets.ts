import { compileMatchers, formatMatcher, parseMatcher } from '../../src/alerts/matchers.ts'
import { kinds } from '../../src/checks/index.ts'
import { neutralDialect } from '../../src/clients/explorer/dialect.ts'
import { crossTransactions } from '../../src/clients/explorer/endpoints/crossRecords.ts'
import { readAnswer } from '../../src/clients/explorer/readAnswer.ts'
import { MonitorError } from '../../src/lib/errors.ts'
import { parseJson } from '../../src/lib/parseJson.ts'
import { compileLabelPredicate } from '../../src/rules/cel/compileConditions.ts'
import { loadRules } from '../../src/rules/loadRules.ts'
import { compileTemplate, createTemplateEngine } from '../../src/rules/templates/compileTemplate.ts'
import { mix } from '../../src/sandbox/random.ts'
import { createWebApp } from '../../src/web/createWebApp.ts'
import { createFakeWeb } from '../../test/unit/web/support/fakeWeb.ts'

/** What is wrong with how an input was answered; null when nothing is. What is thrown is a crash. */
type Run = (text: string) => string | null | Promise<string | null>

export interface FuzzTarget {
  readonly name: string
  /** Inputs that are taken, to cut and join. */
  readonly seeds: readonly string[]
  /** What means something to the reader. */
  readonly words: readonly string[]
  readonly run: Run
}

const hash = `0x${'ab'.repeat(32)}`
const list = `[${Array.from({ length: 30 }, (_, index) => index).join(', ')}]`
const labels = {
  rule: 'r',
  kind: 'transfer.stalled',
  severity: 'critical',
  symbol: 'USDC,USDT,',
  token: `0x${'a'.repeat(300)}!`,
}

export const fuzzTargets: readonly FuzzTarget[] = [
  {
    name: 'matchers',
    seeds: [
      'token=~"(.?){60}x"',
      'rule="a \\"b\\" \\\\"',
      'kind!~"source\\\\..*"',
      'token=~(a+)+$',
      'symbol!=USDC',
      'token=~(?i)[a-z\\d]{2,40}',
    ],
    words: `(·)·*·+·?·{2,}·{60}·|·[^·]·.·\\pL·\\b·(?i)·(?:·=~·!~·"·^·$·a`.split('·'),
    run: runMatcher,
  },
  {
    name: 'CEL',
    seeds: [
      'severity == "critical" && kind in ["transfer.failed"]',
      `${list}.all(x, ${list}.exists(y, x + y > 3)) && rule != ""`,
      'symbol.split(",").map(x, x + x).filter(x, x.matches("^U.*")).size() > 1',
      'cel.bind(a, symbol + symbol, a.contains(token) ? labels.all(k, k != a) : int(a) > 3)',
      'has(labels.token) || timestamp("2026-01-01T00:00:00Z").getHours("UTC") < 5',
    ],
    words:
      `&&·||·!·(·)·[·]·{·}·,·.·?·:·+·-·*·/·%·==·<· in ·.all(x, ·.map(x, ·.join("-")·.split("")·cel.bind(a, ·symbol·labels·token·"a"·9223372036854775807·1.5·null·bytes(·type(·dyn(`.split(
        '·',
      ),
    run: runExpression,
  },
  {
    name: 'Liquid',
    seeds: [
      '{{ transfer.amount | amount }} {{ transfer.token.label }} has waited {{ age | duration }}',
      '{% for i in (1..9) %}{% assign s = s | append: kind %}{{ s }}{% endfor %}',
      '{% assign a = kind | split: "" %}{% for x in a %}{% assign a = a | push: a | concat: a %}{% endfor %}{{ a | json }}',
      '{% if labels.severity == "critical" and age > 5 %}{% capture c %}{{ kind | upcase }}{% endcapture %}{{ c }}{% else %}{{ transfer.originAt | time: "Europe/Berlin" }}{% endif %}',
      '{% case kind %}{% when "a" %}{{ 5 | times: 7 | round: 2 }}{% endcase %}{{ age | date: "%Y-%10d" }}',
    ],
    words:
      `{{·}}·{%·%}· | ·: ·"·(1..50)·for i in ·endfor·assign a = ·push: a·join: a·split: ""·replace: "a", a·sort·uniq·group_by: "size"·where: "a"·a[0]·.first·kind·age·nil·-·99999`.split(
        '·',
      ),
    run: createTemplateRun(),
  },
  {
    name: 'YAML rules',
    seeds: [
      'rules:\n  - name: stalled\n    on: transfer.stalled\n    with: { after: 30m }\n    where: transfer.amount > amount("5")\n    severity: warning\n    summary: "{{ transfer.amount }}"\n    labels: { team: bridge }\n',
      'rules:\n  - &a\n    name: one\n    on: chain.stalled\n    severity: critical\n    for: 5m\n    unless: open("source.unavailable")\n  - <<: *a\n    name: two\n',
    ],
    words:
      `\n·  ·- ·: ·&a ·*a·<<: *a·{·}·[·]·"·'·|\n·>\n·!!js ·!!binary ·? ·---\n·#·name·on·null·1e999·0x1·\t·%YAML 1.1\n`.split(
        '·',
      ),
    run: runRules,
  },
  {
    name: 'JSON answers',
    seeds: [
      JSON.stringify({
        code: '0',
        msg: '',
        data: [
          {
            page: '1',
            limit: '20',
            totalPage: '1',
            transactionList: [
              {
                id: '7',
                txType: 'MainToZone',
                crossType: 'Deposit',
                status: '0x1',
                mainTxHash: hash,
                mainBlockHeight: '5',
                mainBlockTime: '1700000000000',
                value: '1.5',
                valueRaw: '1500000',
                tokenName: 'USD Coin',
              },
            ],
          },
        ],
      }),
      JSON.stringify({ code: 0, data: [] }),
      JSON.stringify({ code: '50011', msg: 'Too Many Requests' }),
    ],
    words:
      `{·}·[·]·,·:·"·null·true·1e400·-0·0.1·"0x"·\\ud800·\\u0000·"data"·"code"·"valueRaw"·"txType"·"ZoneToMain"·"${hash}"·99999999999999999999`.split(
        '·',
      ),
    run: runAnswer,
  },
  {
    name: 'HTTP forms',
    seeds: [
      'matchers=rule%3Dx&for=2h&by=ana&comment=why',
      'by=ana&next=%2Falerts',
      'matchers=token%3D~%22(.%3F)%7B60%7Dx%22&for=99999999d&by=%00&comment=%F0%9F%92%A3',
      '{"matchers":["rule=x"],"endsAt":1790000000000,"author":"a","comment":"c"}',
    ],
    words: `&·=·%·%00·%0d%0a·+·next=//evil·by=·for=·matchers=·proof=·[]·{·}·"·:·null·__proto__`.split('·'),
    run: createFormRun(),
  },
]

function runMatcher(text: string): string | null {
  const parsed = parseMatcher(text)
  if (!parsed.ok) return null
  const { matcher } = parsed
  const again = parseMatcher(formatMatcher(matcher))
  if (!again.ok || JSON.stringify(again.matcher) !== JSON.stringify(matcher))
    return 'is written otherwise than it was read'
  if (matcher.operator !== '=~' && matcher.operator !== '!~') return null
  const ask = (operator: '=~' | '!~') =>
    compileMatchers([{ ...matcher, operator }])({ [matcher.label]: labels.token })
  return ask('=~') === ask('!~') ? 'matches both or neither' : null
}

function runExpression(text: string): string | null {
  const compiled = compileLabelPredicate(kinds.names, text)
  if (!compiled.ok) return compiled.problem.offset > text.length ? 'a problem beyond its end' : null
  let value: unknown
  try {
    value = compiled.run(labels)
  } catch (error) {
    return error instanceof Error ? null : 'throws what is no error'
  }
  return typeof value === 'boolean' ? null : 'is neither true nor false'
}

function createTemplateRun(): Run {
  const engine = createTemplateEngine()
  const detector = kinds.find('transfer.stalled')
  if (detector === null) throw new Error('expected the kind transfer.stalled')
  return (text) => {
    const compiled = compileTemplate(engine, detector, ['team'], text)
    if (!compiled.ok) return compiled.problem.message === '' ? 'a problem without words' : null
    const scope = { kind: detector.kind, age: 5, transfer: null, facts: {}, labels, subjects: {} }
    try {
      return compiled.run(scope).length > 300_000 ? 'writes more than it may' : null
    } catch (error) {
      return error instanceof Error ? null : 'throws what is no error'
    }
  }
}

function runRules(text: string): string | null {
  const loaded = loadRules([{ path: 'rules/fuzz.yaml', text }], kinds)
  if (!loaded.ok)
    return loaded.problems.every(({ line, column }) => line >= 1 && column >= 1)
      ? null
      : 'a problem without a place'
  const unsaid = loaded.rules.find(
    ({ name, origin }) => origin.startsWith('rules/fuzz.yaml') && !text.includes(name.slice(0, 1)),
  )
  return unsaid === undefined ? null : 'a rule that nobody wrote'
}

const reader = crossTransactions.createReader(neutralDialect)

function runAnswer(text: string): string | null {
  const http = {
    status: 200,
    retryAfter: null,
    date: null,
    contentType: 'application/json',
    json: parseJson(text),
    looks: 'text' as const,
  }
  try {
    const { records } = readAnswer(http, {
      endpoint: crossTransactions,
      reader,
      params: {},
      requestedAt: 1_790_000_000_000,
      clockAheadMs: 0,
      label: 'transferList (E3)',
      chains: { main: 'MAIN', zone: 'ZONE' },
      scrub: (said) => said,
    })
    const written = JSON.stringify(http.json?.value).toLowerCase()
    const given = records.flatMap(({ mainHash, zoneHash, amountRaw, value }) => [
      mainHash,
      zoneHash,
      amountRaw?.toString(),
      value,
    ])
    return given.every((one) => one == null || written.includes(one.toLowerCase()))
      ? null
      : 'a value that nobody wrote'
  } catch (error) {
    if (error instanceof MonitorError) return null
    throw error
  }
}

function createFormRun(): Run {
  const { deps } = createFakeWeb()
  const app = createWebApp(deps, { listenHost: '127.0.0.1', token: null })
  const paths = [
    '/silences',
    '/alerts/a1b2c3/ack',
    '/silences/3/expire',
    '/outbox/17/drop',
    '/api/silences',
    '/api/cursors/rewind',
  ]
  return async (text) => {
    const at = mix(text.length, text.charCodeAt(0) || 0) % paths.length
    const path = paths[at] ?? '/silences'
    const type = path.startsWith('/api') ? 'application/json' : 'application/x-www-form-urlencoded'
    const headers = { host: '127.0.0.1:9464', origin: 'http://127.0.0.1:9464', 'content-type': type }
    const response = await app.request(`http://127.0.0.1:9464${path}`, {
      method: 'POST',
      body: text,
      headers,
    })
    const to = response.headers.get('location')
    if (response.status >= 500) return `HTTP ${response.status}`
    return to !== null && !/^\/(?!\/)/.test(to) ? 'leads elsewhere' : null
  }
}
