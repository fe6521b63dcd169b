import { parseJson } from '../../lib/parseJson.ts'
import type { Compiled } from '../../rules/cel/compileExpression.ts'
import { compileText } from '../../rules/templates/compileText.ts'
import { createTemplateEngine } from '../../rules/templates/compileTemplate.ts'
import { jsonHeaders } from './postOnce.ts'
import type { Message, MessageItem } from './message.ts'
import { toBodyVariables } from './renderWebhook.ts'

const maxLength = 20_000

/** What each text is in the sample: a body of JSON that holds it unescaped is none. */
const odd = 'a "quoted" \\ text'

const at = Date.UTC(2026, 0, 5, 9)

const sampleItem: MessageItem = {
  alertId: 'a1b2c3d4',
  rule: odd,
  kind: 'transfer.failed',
  severity: 'critical',
  status: 'event',
  summary: odd,
  subject: odd,
  fields: [{ label: odd, value: odd, href: 'https://explorer.example.com/tx/1' }],
  facts: {},
  labels: {},
  remedy: odd,
  runbook: 'https://runbooks.example.com/failed',
  since: at,
  at,
  lastedMs: 1_000,
  joined: [],
}

/** Every name filled. */
const fullSample: Message = {
  id: 'a1b2c3',
  attempt: 1,
  channel: 'ops',
  severity: 'critical',
  headline: odd,
  items: [{ ...sampleItem, joined: [sampleItem] }, sampleItem],
  rest: [],
  total: 12,
  case: {
    id: 'c42',
    root: 'c42',
    key: 'c42-2',
    keyBefore: 'c42-1',
    turn: 2,
    state: 'open',
    severity: 'critical',
    title: odd,
    money: [{ token: '', symbol: odd, amount: '1.5', usd: '1.50' }],
    members: 2,
    openedAt: at,
    turnAt: at,
    closedAt: at,
    assignee: odd,
    by: odd,
    reason: odd,
    mergedInto: 'c7',
    transferKey: 't1',
    url: 'https://watch.example.com/cases/c42',
  },
  changes: ['acknowledged', 'noted'],
  notes: [{ what: 'noted', by: odd, text: odd }],
  createdAt: at,
  pageUrl: 'https://watch.example.com/',
}

/** As little as a message may say. */
const bareSample: Message = {
  ...fullSample,
  items: [],
  case: null,
  changes: [],
  notes: [],
  total: 0,
  pageUrl: null,
}

/** The body of a webhook by a template of its own, checked and tried. Running it throws where it cannot be made. */
export function compileBody(
  text: string,
  contentType: string = jsonHeaders['content-type'],
): Compiled<(message: Message, degraded: boolean) => string> {
  const samples = [fullSample, bareSample].map((message) => toBodyVariables(message, false))
  const engine = createTemplateEngine({ lenientIf: true })
  const compiled = compileText(engine, { known: listNames(samples[0]), samples, maxLength }, text)
  if (!compiled.ok) return compiled
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(contentType)
  const run = (variables: Readonly<Record<string, unknown>>) => {
    const body = compiled.run(variables)
    if (isJson && parseJson(body) === null) throw new Error('what comes out is no JSON')
    return body
  }
  try {
    for (const sample of samples) run(sample)
  } catch {
    const message =
      'what comes out is no JSON: `| json` puts a value in with its quotes and escapes, as in {"text": {{ headline | json }}}'
    return { ok: false, problem: { message, offset: 0 } }
  }
  return { ok: true, run: (message, degraded) => run(toBodyVariables(message, degraded)) }
}

/** Every path of a value, with dots; of a list also its size, its first and its last. */
function listNames(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return path === '' ? [] : [path]
  const entries: [string, unknown][] = Array.isArray(value)
    ? [
        ['size', 0],
        ['first', value[0]],
        ['last', value[0]],
      ]
    : Object.entries(value)
  const below = entries.flatMap(([name, inner]) => listNames(inner, path === '' ? name : `${path}.${name}`))
  return below.length === 0 ? [path] : below
}
