/** What is wrong with the answers of one endpoint, or of one node, for a while. */
export interface Fault {
  /** E1 to E21, `explorer` for all of these, canonical, preconf or zoneNode. */
  readonly of: string
  /**
   * It is `byMs` behind, or stands where it was; fails; is away; says that it is asked too much, each time or within `byMs` of what it
   * answered; is empty; says again what it said to the same question up to `byMs` ago; takes `byMs` to answer; answers
   * another question; of a node: shows no logs.
   */
  readonly how: (typeof kinds)[number]
  readonly byMs: number
  readonly from: number
  readonly until: number
}

const kinds = [
  'lag',
  'stand',
  'error',
  'down',
  'throttle',
  'empty',
  'cached',
  'slow',
  'strict',
  'other',
  'hideLogs',
] as const

/** Such as `E9+E14:lag:180:6:12`: of which, how, by how many seconds, from and until which minute after the start. */
export function parseFaults(texts: readonly string[], startAt: number): Fault[] {
  return texts.flatMap((text) => {
    const [names = '', kind, by = '0', from = '0', until = 'Infinity'] = text.split(':')
    const how = kinds.find((one) => one === kind)
    if (how === undefined) throw new Error(`${text}: expected one of ${kinds.join(', ')}`)
    const at = (minutes: string) => startAt + Number(minutes) * 60_000
    const common = { how, byMs: Number(by) * 1_000, from: at(from), until: at(until) }
    return names.split('+').map((of) => ({ of, ...common }))
  })
}

const isOf = (fault: Fault, of: string) => fault.of === of || (fault.of === 'explorer' && /^E\d+$/.test(of))

export const faultOf = (faults: readonly Fault[], of: string, now: number): Fault | undefined =>
  faults.find((one) => one.how !== 'slow' && isOf(one, of) && one.from <= now && now < one.until)

/** How long an answer takes, ms. */
export const slowBy = (faults: readonly Fault[], of: string, now: number): number =>
  faults.find((one) => one.how === 'slow' && isOf(one, of) && one.from <= now && now < one.until)?.byMs ?? 0

/** How far behind a fault puts what it is of. */
export function behindBy(fault: Fault | undefined, now: number): number {
  if (fault?.how === 'lag') return fault.byMs
  return fault?.how === 'stand' ? now - fault.from : 0
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** What was asked and answered before, by endpoint and by question. */
export interface Past {
  readonly questions: Map<string, string>
  readonly answers: Map<string, { readonly at: number; readonly answer: unknown }>
  /** When the newest answer was given that was no refusal. */
  answeredAt: number
}

/** What a fault makes of an answer. */
export function spoil(
  fault: Fault | undefined,
  { url, now, answer }: { readonly url: URL; readonly now: number; readonly answer: (url: URL) => Answer },
  past: Past,
): Answer {
  const { questions, answers } = past
  if (fault?.how === 'error') return { status: 500, body: { code: '50026', msg: 'system error', data: [] } }
  if (fault?.how === 'down')
    return { status: 503, body: { code: '50001', msg: 'service unavailable', data: [] } }
  const isTooSoon = fault?.how === 'strict' && now - past.answeredAt < fault.byMs
  if (fault?.how === 'throttle' || isTooSoon)
    return { status: 429, body: { code: '50011', msg: 'Too Many Requests', data: [] } }
  past.answeredAt = now
  if (fault?.how === 'empty') return { status: 200, body: { code: '0', msg: '', data: [] } }
  if (fault?.how === 'other') {
    const other = new URL(url)
    other.search = questions.get(url.pathname) ?? url.search
    return answer(other)
  }
  questions.set(url.pathname, url.search)
  return remember(fault, { question: url.href, now, ask: () => answer(url) }, answers) as Answer
}

function remember(
  fault: Fault | undefined,
  { question, now, ask }: { readonly question: string; readonly now: number; readonly ask: () => unknown },
  answers: Past['answers'],
): unknown {
  const known = answers.get(question)
  if (fault?.how === 'cached' && known && now - known.at < fault.byMs) return known.answer
  const answer = ask()
  answers.set(question, { at: now, answer })
  return answer
}

export interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a fault makes of one result of a node. */
export function spoilResult(
  fault: Fault | undefined,
  {
    node,
    call,
    now,
    answer,
  }: {
    readonly node: string
    readonly call: Call
    readonly now: number
    readonly answer: (call: Call) => unknown
  },
  { questions, answers }: Past,
): unknown {
  if (fault?.how === 'empty') return null
  if (fault?.how === 'hideLogs') return hideLogs(answer(call))
  const name = `${node} ${call.method}`
  const params = JSON.stringify(call.params)
  if (fault?.how === 'other') return answer({ ...call, params: JSON.parse(questions.get(name) ?? params) })
  questions.set(name, params)
  return remember(fault, { question: `${name} ${params}`, now, ask: () => answer(call) }, answers)
}

/** The receipts of a node that shows no logs. */
function hideLogs(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(hideLogs)
  return typeof result === 'object' && result !== null && 'logs' in result ? { ...result, logs: [] } : result
}
