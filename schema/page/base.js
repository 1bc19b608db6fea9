/* SPDX-License-Identifier: Apache-2.0 */
'use strict';
// What the live viewer and the report share. Whatever comes from an application is shown as text,
// never as markup.

const $ = id => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';

function duration(ns) {
  if (ns === null || ns === undefined) return '-';
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];
  const [size, name] = units.find(u => Math.abs(ns) >= u[0]) || units[3];
  const value = ns / size;
  return `${value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)} ${name}`;
}

function setText(element, text) {
  const string = String(text);
  if (element.textContent !== string) element.textContent = string;
}

function make(name, className) {
  const element = document.createElement(name);
  if (className) element.className = className;
  return element;
}
