import { CronTime } from 'cron'
import { createMuteTimes, type MuteTime } from '../lib/muteTimes.ts'
import { formatDuration } from '../lib/duration.ts'
import { problemAt, type YamlProblem } from '../lib/yamlProblems.ts'
import type { CheckContext } from './checkConfig.ts'
import type { ParsedConfig } from './schema.ts'
import { poll as pollSettings } from './sections.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A Monday that begins a month. */
const firstMs = Date.UTC(2026, 5, 1)

/** What is asked so seldom is told so late, and the page calls it in time: it goes by the schedule that is written. */
export function warnOfPolls(context: CheckContext, { poll }: ParsedConfig): YamlProblem[] {
  const { sweep: _, ...shipped } = pollSettings.parse({})
  return (Object.keys(shipped) as (keyof typeof shipped)[]).flatMap((name) => {
    const allowedMs = name === 'audit' ? dayMs : minuteMs
    const waitMs = poll[name] === shipped[name] ? 0 : findLongWait(poll[name], allowedMs)
    if (waitMs <= allowedMs) return []
    const fields = poll[name].split(/\s+/).length === 5 ? '; of five fields the first is minutes' : ''
    const message = `\`poll.${name}\` lets ${formatDuration(waitMs)} and more go by without asking, by default it is "${shipped[name]}": what is found by it is told that much later${fields}`
    return [problemAt(context.doc, ['poll', name], message)]
  })
}

/** How long is waited at an hour of a week: the first wait that is longer than allowed, else the longest, ms. */
function findLongWait(cron: string, allowedMs: number): number {
  const time = new CronTime(cron, 'UTC')
  const next = (at: number) => time.getNextDateFrom(new Date(at), 'UTC').toMillis()
  let longest = 0
  for (let at = firstMs; at < firstMs + 7 * dayMs && longest <= allowedMs; at += hourMs) {
    const due = next(at)
    longest = Math.max(longest, due - at, next(due) - due)
  }
  return longest
}

/** A year, and a leap day. */
const lookedMs = 366 * dayMs

/** A route that is quiet at each time of a year is one that somebody believes in. */
export function warnOfQuietRoutes(context: CheckContext, config: ParsedConfig): YamlProblem[] {
  const named = (name: string): MuteTime => ({ name, intervals: config.muteTimes[name] ?? [] })
  return config.routes.flatMap((route, index) => {
    const mutes = route.mute.map(named).map(withoutDates)
    const active = route.activeTimes.map(named)
    // When such a date comes it is active.
    const isDated = active.some(({ intervals }) => intervals.some(({ dates }) => dates != null))
    if (!isAlwaysQuiet({ mutes, active: isDated ? [] : active })) return []
    const name = route.mute.length > 0 ? 'mute' : 'activeTimes'
    const told = route.muteCritical ? 'it never sends anything' : 'it sends nothing but what is critical'
    const message = `\`routes[${index}]\` is muted at each time of the year: ${told}`
    return [problemAt(context.doc, ['routes', index, name], message)]
  })
}

function isAlwaysQuiet(times: { readonly mutes: readonly MuteTime[]; readonly active: readonly MuteTime[] }) {
  const quiet = createMuteTimes(times)
  let at = firstMs
  while (at < firstMs + lookedMs && quiet.find(at) !== null) at = quiet.endOf(at)
  return at >= firstMs + lookedMs
}

/** Dates go by. */
function withoutDates({ name, intervals }: MuteTime): MuteTime {
  return { name, intervals: intervals.filter(({ dates }) => dates == null) }
}
