/* SPDX-License-Identifier: MIT */
/* Time behind a replaceable source. System. Tested by tests/unit/base/t_clock.c. */
#include "base/base.h"

#include "base/clock.h"

#include "base/err.h"

#define FIRST_SECOND (-62135596800) /* 0001-01-01T00:00:00 */
#define LAST_SECOND  253402300799   /* 9999-12-31T23:59:59 */

static struct clock_source replaced;

static int64_t read_clock(clockid_t which)
{
	struct timespec t;

	if (clock_gettime(which, &t) < 0)
		abort(); /* both clocks exist on every supported kernel */
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return replaced.mono_ns ? replaced.mono_ns() : read_clock(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
	return replaced.wall_ns ? replaced.wall_ns() : read_clock(CLOCK_REALTIME);
}

int64_t clock_kernel_mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void clock_set_source(const struct clock_source *source)
{
	replaced = source ? *source : (struct clock_source){NULL, NULL};
}

/* Days from 1970-01-01 to the first of March of a year. Counted from March, the leap day comes
 * last. */
static int64_t days_to_march(int64_t year)
{
	return year * 365 + year / 4 - year / 100 + year / 400 - 719468;
}

static int64_t days_to(int year, int month, int day)
{
	int64_t from_march = (month + 9) % 12;

	return days_to_march(year - (month <= 2)) + (153 * from_march + 2) / 5 + day - 1;
}

static void put_digits(char *at, int n, int64_t value)
{
	for (int i = n - 1; i >= 0; i--, value /= 10)
		at[i] = (char)('0' + value % 10);
}

/* By arithmetic: libc's gmtime reads the time zone's files first, which a confined process can't.
 */
void clock_iso8601(int64_t wall_s, char out[26])
{
	static const char none[] = "0000-00-00T00:00:00+00:00";
	int64_t days, year, day, second;
	int month;

	memcpy(out, none, sizeof(none));
	if (wall_s < FIRST_SECOND || wall_s > LAST_SECOND)
		return;
	days = (wall_s - FIRST_SECOND) / 86400 + FIRST_SECOND / 86400;
	second = wall_s - days * 86400;
	year = 1970 + days / 366; /* never too late */
	while (days_to_march(year + 1) <= days)
		year++;
	while (days_to_march(year) > days)
		year--;
	day = days - days_to_march(year);
	month = (int)((5 * day + 2) / 153); /* 0: March */
	day -= (153 * month + 2) / 5;
	put_digits(out, 4, year + (month >= 10));
	put_digits(out + 5, 2, month < 10 ? month + 3 : month - 9);
	put_digits(out + 8, 2, day + 1);
	put_digits(out + 11, 2, second / 3600);
	put_digits(out + 14, 2, second / 60 % 60);
	put_digits(out + 17, 2, second % 60);
}

static int two_digits(const char *p)
{
	return (p[0] - '0') * 10 + (p[1] - '0');
}

static int days_in_month(int year, int month)
{
	static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

int clock_parse_iso8601(const char *text, int64_t *ret_wall_s)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd+00:00";
	int year, month, day, hour, minute, second;

	for (size_t i = 0; i < sizeof(form); i++) /* the NUL included */
		if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return E_SYNTAX;
	year = two_digits(text) * 100 + two_digits(text + 2);
	month = two_digits(text + 5);
	day = two_digits(text + 8);
	hour = two_digits(text + 11);
	minute = two_digits(text + 14);
	second = two_digits(text + 17);
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
	    hour > 23 || minute > 59 || second > 59)
		return E_SYNTAX;
	*ret_wall_s = days_to(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
	return 0;
}
