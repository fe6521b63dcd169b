import { html } from 'hono/html'
import type { Standing } from '../../kernel/stages.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatAge, type Html, renderAgo, renderTime } from './words.ts'

const words: Readonly<Record<string, string>> = {
  left: 'Not proposed yet',
  proposed: 'Proposed',
  challengeable: 'May be disputed',
  provable: 'May be proven',
  proven: 'Proven',
  claimable: 'May be claimed',
  expired: 'Expired',
}

/** Where a withdrawal stands by the stages of its bridge, and until when; nothing where it has none. */
export function renderStanding(standing: Standing | null, now: UnixMs): Html | '' {
  if (standing === null) return ''
  const { stage, since, until, isAgain } = standing
  return html`<p class="standing">${words[stage] ?? stage} since ${renderTime(since)} (${renderAgo(since, now)})${until === null ? '' : html`, ${sayEnd(stage, until, now)}`}.${isAgain ? ' What it was proven by was removed: it has to be proven again.' : ''}</p>`
}

function sayEnd(stage: string, until: UnixMs, now: UnixMs): Html {
  if (now >= until) return html`which was to be over by ${renderTime(until)}, ${formatAge(now - until)} ago`
  const what = stage === 'claimable' ? 'expires' : 'is over'
  return html`${what} in ${formatAge(until - now)}, at ${renderTime(until)}`
}
