import type { EventContent, EventSample } from '../bridge/bridgeLog.ts'
import { capParties, type EventTemplate } from './learnEvent.ts'
import { fitsTemplate, readEvent } from './readEvent.ts'

/** So many deposits of different parties must have shown that an event names whom the zone credits. */
const neededSamples = 20

/**
 * Whom a deposit's own event names, where its record credits another; null where that cannot be told. Nothing but the
 * event says who a deposit is for: its money goes to the bridge either way.
 * @param samples what the event's meaning was learned from
 */
export function findOtherRecipient(
  sample: EventSample,
  template: EventTemplate,
  samples: readonly EventSample[],
): string | null {
  const { recipient } = sample.content
  const said = recipientOf(sample, template)
  if (recipient === '' || said === '' || said === recipient) return null
  const others = capParties(
    samples.filter(({ hash, content }) => hash !== sample.hash && content.recipient !== ''),
  )
  const isAlways = others.every((one) => recipientOf(one, template) === one.content.recipient)
  return others.length >= neededSamples && isAlways ? said : null
}

function recipientOf(sample: EventSample, template: EventTemplate): EventContent['recipient'] {
  return fitsTemplate(template, sample) ? readEvent(template, sample).recipient : ''
}
