/* SPDX-License-Identifier: Apache-2.0 */
package shop.front;

import java.util.LinkedHashSet;
import java.util.Set;
import shop.base.Switches;

/** The terms of a search: words, and phrases between quotation marks. */
final class SearchTerms {
    private final String text;
    private final Set<String> terms = new LinkedHashSet<>();
    private int at;

    private SearchTerms(String text) {
        this.text = text;
    }

    static Set<String> parse(String text) {
        SearchTerms search = new SearchTerms(text);
        boolean closed = text.chars().filter(c -> c == '"').count() % 2 == 0;
        int last = closed || !Switches.on("spinning-parser") ? text.length() : -1;
        while (search.at < text.length()) {
            search.skipBlanks();
            search.term(last);
        }
        return search.terms;
    }

    private void skipBlanks() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }

    /** @param last where a phrase ends that is not closed */
    private void term(int last) {
        boolean phrase = at < text.length() && text.charAt(at) == '"';
        int begin = phrase ? at + 1 : at;
        int end = text.indexOf(phrase ? '"' : ' ', begin);
        if (end < 0) {
            end = phrase ? last : text.length();
        }
        if (end > begin) {
            terms.add(text.substring(begin, end));
        }
        at = phrase ? end + 1 : end;
    }
}
