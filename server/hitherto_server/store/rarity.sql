-- holders: how many memories hold each of some stems
SELECT term, doc AS holders FROM fulltext_terms
WHERE term IN (SELECT value FROM json_each(:stems));
