import { raw } from 'hono/html'

const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
const mono = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;'
const wrap = 'overflow-wrap:anywhere;word-break:break-word;'

/** Inline styles of the mail, in the light scheme: the only styles that every mail client honours. */
export const mailStyles = {
  page: `margin:0;padding:0;background:#f4f5f7;${font}`,
  outer: 'background:#f4f5f7;',
  gutter: 'padding:20px 10px;',
  column: 'max-width:680px;text-align:left;',
  head: 'padding:0 4px 14px;',
  title: `margin:0;font-size:19px;line-height:1.35;font-weight:650;color:#16181d;${wrap}`,
  lead: `margin:6px 0 0;font-size:14px;line-height:1.45;color:#16181d;${wrap}`,
  links: 'padding:0 4px 12px;font-size:14px;line-height:1.5;color:#16181d;',
  cardRow: 'padding:0 0 12px;',
  card: 'background:#ffffff;border:1px solid #dfe2e7;border-radius:8px;border-collapse:separate;',
  cardHead: 'padding:14px 16px 4px;',
  cardBody: 'padding:6px 16px 4px;',
  cardEnd: 'padding:0 0 10px;font-size:0;line-height:0;',
  remedyCell: 'padding:8px 16px 2px;',
  remedy: `padding:8px 10px;background:#f4f5f7;border-radius:6px;font-size:13px;line-height:1.45;color:#16181d;${wrap}`,
  status: 'font-size:12px;letter-spacing:0.04em;font-weight:700;',
  summary: `margin:4px 0 2px;font-size:16px;line-height:1.4;font-weight:600;color:#16181d;${wrap}`,
  subject: `font-size:13px;line-height:1.45;color:#5b6270;${wrap}`,
  label: 'padding:4px 12px 4px 0;width:22%;font-size:13px;line-height:1.45;color:#5b6270;',
  value: `padding:4px 0;font-size:13px;line-height:1.45;color:#16181d;${wrap}`,
  hash: `padding:4px 0;font-size:12px;line-height:1.5;color:#16181d;word-break:break-all;${mono}`,
  detailHead: 'padding:10px 16px 4px;font-size:11px;letter-spacing:0.04em;font-weight:700;color:#5b6270;',
  detailOf: `padding:8px 16px 2px;border-top:1px solid #e8eaee;font-size:11px;font-weight:600;color:#5b6270;${wrap}`,
  detailLabel: 'padding:2px 8px 2px 16px;width:22%;font-size:11px;line-height:1.45;color:#5b6270;',
  detailValue: `padding:2px 16px 2px 0;font-size:11px;line-height:1.45;color:#5b6270;${wrap}`,
  detailHash: `padding:2px 16px 2px 0;font-size:11px;line-height:1.45;color:#5b6270;word-break:break-all;${mono}`,
  origin: `padding:2px 16px 10px;font-size:11px;line-height:1.45;color:#5b6270;${wrap}`,
  restRow: 'padding:8px 16px;border-top:1px solid #e8eaee;',
  restSummary: `font-size:13px;line-height:1.45;color:#16181d;${wrap}`,
  foot: 'padding:4px;font-size:12px;line-height:1.5;color:#5b6270;',
  link: 'color:#0b57d0;',
  ink: {
    critical: 'color:#b3261e;',
    warning: 'color:#8a5300;',
    info: 'color:#0b57d0;',
    resolved: 'color:#146c2e;',
    ended: 'color:#5b6270;',
  },
  edge: {
    critical: 'border-left:4px solid #d93025;',
    warning: 'border-left:4px solid #e08600;',
    info: 'border-left:4px solid #1a73e8;',
    resolved: 'border-left:4px solid #1e8e3e;',
    ended: 'border-left:4px solid #8a919e;',
  },
} as const

/** The dark scheme, for clients that read style sheets. Ours alone: nothing of a message is ever in it. */
export const styleSheet = raw(`
@media (prefers-color-scheme: dark) {
  .page { background: #14161a !important; }
  .card { background: #1d2026 !important; border-top-color: #343943 !important; border-right-color: #343943 !important; border-bottom-color: #343943 !important; }
  .plain { border-left-color: #343943 !important; }
  .line { border-top-color: #343943 !important; }
  .ink { color: #eceef2 !important; }
  .muted { color: #a5acb8 !important; }
  .link { color: #8ab4f8 !important; }
  .remedy { background: #282c35 !important; }
  .critical-text { color: #ff8a80 !important; }
  .warning-text { color: #ffc46b !important; }
  .info-text { color: #8ab4f8 !important; }
  .resolved-text { color: #7fd894 !important; }
  .ended-text { color: #a5acb8 !important; }
}
@media (max-width: 480px) {
  td[valign=top] { display: block !important; width: auto !important; padding-right: 0 !important; }
  td.muted[valign=top] { padding-bottom: 0 !important; }
  td[valign=top] + td[valign=top] { padding-top: 0 !important; }
  td.detail[valign=top] { padding-left: 16px !important; padding-right: 16px !important; }
}
`)
